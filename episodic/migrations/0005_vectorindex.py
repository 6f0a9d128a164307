import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    """Where it is written which tenants have a vector index, and how far it goes."""

    dependencies = [("episodic", "0004_storage"), ("tenants", "0001_tenants")]
    operations = [
        migrations.CreateModel(
            name="VectorIndex",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("generation", models.IntegerField()),
                (
                    "sealed",
                    models.BigIntegerField(help_text="The greatest id of a derivative in it."),
                ),
                ("dimensions", models.IntegerField()),
                (
                    "rows",
                    models.BigIntegerField(help_text="How many derivatives were sealed in."),
                ),
                ("breadth", models.IntegerField(null=True)),
                (
                    "started_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("ready_at", models.DateTimeField(null=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "vector indexes",
                "indexes": [
                    models.Index(fields=["tenant", "generation"], name="vector_index_of_tenant")
                ],
            },
        ),
    ]
