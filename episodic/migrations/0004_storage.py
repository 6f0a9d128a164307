from django.db import migrations


class Migration(migrations.Migration):
    """How the large tables are kept."""

    dependencies = [("episodic", "0003_inside_a_tenant")]
    operations = [
        # Out of line, a vector costs an exact scan five times the pages.
        migrations.RunSQL(
            "ALTER TABLE episodic_derivative ALTER embedding SET STORAGE PLAIN",
            "ALTER TABLE episodic_derivative ALTER embedding SET STORAGE EXTERNAL",
        ),
        # Tables that grow without end are analysed early, for the planner to know new tenants,
        # and vacuumed early, for index-only scans.
        migrations.RunSQL(
            """
            ALTER TABLE episodic_event SET (autovacuum_analyze_scale_factor = 0.02);
            ALTER TABLE episodic_segment SET (autovacuum_analyze_scale_factor = 0.02);
            ALTER TABLE episodic_derivative SET (
                autovacuum_analyze_scale_factor = 0.02,
                autovacuum_vacuum_scale_factor = 0.05,
                autovacuum_vacuum_insert_scale_factor = 0.02
            );
            """,
            """
            ALTER TABLE episodic_event RESET (autovacuum_analyze_scale_factor);
            ALTER TABLE episodic_segment RESET (autovacuum_analyze_scale_factor);
            ALTER TABLE episodic_derivative RESET (
                autovacuum_analyze_scale_factor,
                autovacuum_vacuum_scale_factor,
                autovacuum_vacuum_insert_scale_factor
            );
            """,
        ),
    ]
