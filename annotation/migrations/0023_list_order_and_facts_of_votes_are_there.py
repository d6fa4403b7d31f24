"""Requires what 0022 filled, and makes the indexes by which lists run.

On PostgreSQL the words of questions are stored again, with the state of the item beside them, so
that one index answers for both: "=kept" can be no word, since the signs between words are blanks.
"""

import django.db.models.deletion
from django.db import migrations, models

WORDS = """to_tsvector('simple'::regconfig, translate("text", '-/.@_+<>&:=~#', '             '))"""
MAKE = f"""
ALTER TABLE annotation_item ADD COLUMN words tsvector
    GENERATED ALWAYS AS ({WORDS} || array_to_tsvector(ARRAY['=' || state])) STORED;
CREATE INDEX item_by_words ON annotation_item USING gin (words);
"""


def make(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(MAKE, params=None)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE annotation_item DROP COLUMN words", params=None)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0022_fill_list_order_and_facts_of_votes")]
    operations = [
        migrations.AlterField(
            model_name="item",
            name="video_position",
            field=models.PositiveIntegerField(help_text="Place of the video among videos."),
        ),
        migrations.AlterField(
            model_name="review",
            name="version_number",
            field=models.PositiveIntegerField(),
        ),
        migrations.AlterField(
            model_name="review",
            name="benchmark",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="reviews",
                to="annotation.benchmark",
            ),
        ),
        migrations.RunPython(make, drop),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                fields=["benchmark", "video_position", "start", "position"], name="item_in_list"
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                fields=["benchmark"],
                condition=models.Q(votes_since__gt=1),
                name="item_with_old_votes",
            ),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                fields=["benchmark", "reviewer", "item"], name="review_in_benchmark"
            ),
        ),
    ]
