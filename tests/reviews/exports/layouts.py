"""Small exports in the layouts that the tools document, and how to read them."""

import json

import lwcal


def saved(path, content):
    """Write an export: text as it is, a list of records as JSON lines where the name says so."""
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in content), encoding="utf-8")
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def triples(found):
    """Who says what about which item."""
    return list(
        zip(found.item.tolist(), found.reviewer.tolist(), found.label.tolist(), strict=True)
    )


def balanced(found):
    """Whether every answer is somewhere."""
    return found.n_opinions + found.n_trusted + sum(found.left_out.values()) == found.n_answers


def read(path, content, *args, **options):
    """Write and read an export; every answer is an opinion, a checked label, or left out."""
    found = lwcal.read_opinions(saved(path, content), *args, **options)
    assert balanced(found)
    return found


def choice(*names, question="mood", **place):
    """A result of Label Studio: what was chosen for a question, of an item or a part of it."""
    value = {**place, "choices": list(names)}
    return {
        "id": "Dx_aB91ISN",
        "from_name": question,
        "to_name": "text",
        "type": "choices",
        "value": value,
    }


def annotation(number, by, *results, **others):
    """An annotation of Label Studio, with the fields of its documented example."""
    return {
        "id": number,
        "completed_by": by,
        "result": list(results),
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": f"2021-03-09T22:16:{number % 60:02d}.728353Z",
        "updated_at": f"2021-03-09T22:16:{number % 60:02d}.728378Z",
        "lead_time": 4.288,
        "task": 1,
        **others,
    }


def task(number, *annotations, **others):
    """A task of Label Studio."""
    return {
        "id": number,
        "data": {"text": f"text {number}", "score": number / 10},
        "annotations": list(annotations),
        "predictions": [],
        "drafts": [],
        "project": 83,
        **others,
    }


def prodigy(item, session, answer="accept", **others):
    """A line of Prodigy's db-out."""
    return {
        "text": f"text {item}",
        "_input_hash": item,
        "_task_hash": item * 7,
        "_session_id": session,
        "_annotator_id": session,
        "_timestamp": 1_650_000_000 + item,
        "answer": answer,
        **others,
    }


def options(item, session, *accepted, **others):
    """A line of Prodigy's interface "choice"."""
    offered = [{"id": "good", "text": "Good"}, {"id": "bad", "text": "Bad"}]
    return prodigy(
        item, session, options=offered, accept=list(accepted), _view_id="choice", **others
    )
