"""A release as Croissant metadata (JSON-LD, version 1.0 of MLCommons), with its responsible-AI
part: what dataset search engines and loaders read."""

from typing import Any

from evaluation.board.datasheet import limits
from evaluation.board.files import bibtex
from evaluation.queries.datasheet import Facts

CROISSANT = "http://mlcommons.org/croissant/1.0"
RAI = "http://mlcommons.org/croissant/RAI/1.0"
FILE = "questions"
TERMS = """
    citeAs column conformsTo data dataType equivalentProperty examples extract field fileObject
    fileProperty fileSet format includes isLiveDataset jsonPath key md5 parentField path recordSet
    references regex repeated replace samplingRate separator source subField transform
"""
FIELDS = (
    ("item", "sc:Text", "Key of the item", False),
    ("kind", "sc:Text", "mcq or free", False),
    ("question_type", "sc:Text", "Type of the question", False),
    ("question", "sc:Text", "What is asked", False),
    ("options", "sc:Text", "Options in the shown order; none for a free response", True),
    ("video", "sc:Text", "Name of the video", False),
    ("start", "sc:Float", "Start of the clip, seconds of the source", False),
    ("end", "sc:Float", "End of the clip, seconds of the source", False),
)


def metadata(
    facts: Facts, *, page: str, file: str, digest: tuple[str, int] | None
) -> dict[str, Any]:
    """Return the metadata.

    Args:
        page: address of the release's datasheet.
        file: address of its questions as lines of JSON.
        digest: sha256 (hex) and bytes of that file, where they are known.
    """
    benchmark, release = facts.benchmark, facts.release
    found: dict[str, Any] = {
        "@context": context(),
        "@type": "sc:Dataset",
        "name": f"{benchmark.name} {release.tag}",
        "description": benchmark.description
        or "Questions about muted clips of ultrasound videos, without their answer keys.",
        "conformsTo": [CROISSANT, RAI],
        "url": page,
        "version": release.tag,
        "datePublished": release.created_at.date().isoformat(),
        "citeAs": bibtex(benchmark, release, page).strip(),
        "keywords": ["ultrasound", "video question answering", "vision-language models"],
        "isAccessibleForFree": True,
        "rai:dataAnnotationProtocol": "Readers vote to keep or drop each item, blind to other "
        "votes and to models; disagreements are settled by an adjudicator.",
        "rai:dataLimitations": limits(facts),
        "rai:annotationsPerItem": str(benchmark.votes_required),
        "rai:dataUseCases": "Measuring vision-language models; not decisions about patients.",
        "distribution": [_file(file, digest)],
        "recordSet": [_records()],
    }
    if benchmark.licence:
        found["license"] = benchmark.licence
    if benchmark.attribution:
        found["creator"] = {"@type": "sc:Organization", "name": benchmark.attribution}
    return found


def context() -> dict[str, Any]:
    """Return the names that Croissant gives to JSON keys."""
    special: dict[str, Any] = {
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "examples": {"@id": "cr:examples", "@type": "@json"},
    }
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "sc": "https://schema.org/",
        **{term: special.get(term, f"cr:{term}") for term in TERMS.split()},
    }


def _file(address: str, digest: tuple[str, int] | None) -> dict[str, Any]:
    found = {
        "@type": "cr:FileObject",
        "@id": FILE,
        "name": "questions.jsonl",
        "description": "Kept items as a model is asked them, one line each, without keys.",
        "contentUrl": address,
        "encodingFormat": "application/jsonlines",
    }
    if digest:
        found |= {"sha256": digest[0], "contentSize": f"{digest[1]} B"}
    return found


def _records() -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "items",
        "name": "items",
        "description": "The kept items.",
        "key": {"@id": "items/item"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"items/{name}",
                "name": name,
                "description": words,
                "dataType": kind,
                **({"repeated": True} if many else {}),
                "source": {"fileObject": {"@id": FILE}, "extract": {"column": name}},
            }
            for name, kind, words, many in FIELDS
        ],
    }
