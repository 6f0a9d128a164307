import django.contrib.postgres.indexes
import django.db.models.functions.comparison
from django.db import migrations, models

from memmachine.concurrent_index import AddIndexBeside


class Migration(migrations.Migration):
    """What is few among many, by session and by property, is found without reading all.

    The indexes are built while others write; an interrupted run is run again.
    """

    atomic = False
    dependencies = [("episodic", "0005_vectorindex")]
    operations = [
        AddIndexBeside(
            model_name="derivative",
            index=models.Index(
                fields=["tenant", "generation", "session_id", "timestamp"],
                name="derivative_session",
            ),
        ),
        AddIndexBeside(
            model_name="segment",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    models.Func(
                        models.Value("{}"),
                        models.Func(
                            django.db.models.functions.comparison.Cast(
                                "tenant_id", models.TextField()
                            ),
                            template="ARRAY[%(expressions)s]",
                        ),
                        models.F("properties"),
                        function="jsonb_set",
                        output_field=models.JSONField(),
                    ),
                    "jsonb_path_ops",
                ),
                fastupdate=False,
                name="segment_properties",
            ),
        ),
    ]
