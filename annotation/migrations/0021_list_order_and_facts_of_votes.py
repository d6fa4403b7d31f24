"""Adds what lists and counts of a million items need beside their rows; filled in 0022.

The stored words of 0018 come back in 0023, with the states of items beside them: without their
index a million rows are filled in a part of the time.
"""

import django.db.models.deletion
from django.db import migrations, models

WORDS = """to_tsvector('simple'::regconfig, translate("text", '-/.@_+<>&:=~#', '             '))"""
MAKE = f"""
ALTER TABLE annotation_item ADD COLUMN words tsvector GENERATED ALWAYS AS ({WORDS}) STORED;
CREATE INDEX item_by_words ON annotation_item USING gin (words);
"""


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE annotation_item DROP COLUMN words", params=None)


def make(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(MAKE, params=None)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0020_held_out")]
    operations = [
        migrations.RunPython(drop, make),
        migrations.AddField(
            model_name="item",
            name="video_position",
            field=models.PositiveIntegerField(
                null=True, help_text="Place of the video among videos."
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="votes_since",
            field=models.PositiveIntegerField(
                default=1, help_text="Number of the oldest version whose votes count."
            ),
        ),
        migrations.AddField(
            model_name="review",
            name="version_number",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="review",
            name="benchmark",
            field=models.ForeignKey(
                null=True,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="reviews",
                to="annotation.benchmark",
            ),
        ),
    ]
