from django.db import migrations

from memmachine.composite_keys import composite_foreign_key


class Migration(migrations.Migration):
    dependencies = [("episodic", "0002_timeline")]
    operations = [
        composite_foreign_key("episodic_segment", "event_id", "episodic_event"),
        composite_foreign_key("episodic_derivative", "event_id", "episodic_event"),
        composite_foreign_key("episodic_link", "derivative_id", "episodic_derivative"),
        composite_foreign_key("episodic_link", "segment_id", "episodic_segment"),
    ]
