"""Loads the Data API of a shop into DuckDB, or into any other destination of dlt.

    pip install "dlt[duckdb]"
    SHOP=https://corner-shop.example KEY=svc_live_… python pipeline.py

A later run reads what changed (orders, subscriptions), what was added (cancellation_reasons, store_credits), and the
rest again. endpoints.json is made of the declarations of the Data API.
"""

import json
import os
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import dlt
from dlt.sources.helpers import requests

ENDPOINTS = json.loads((Path(__file__).parent / "endpoints.json").read_text())

# A change may be noted while a run begins.
OVERLAP = timedelta(hours=1)

COLUMNS = {
    "text": {"data_type": "text"},
    "integer": {"data_type": "bigint"},
    "boolean": {"data_type": "bool"},
    "decimal": {"data_type": "decimal", "precision": 18, "scale": 4},
    "day": {"data_type": "date"},
    # The shop's wall time: it has no zone.
    "minute": {"data_type": "timestamp", "timezone": False},
}

READ = {
    "decimal": Decimal,
    "day": date.fromisoformat,
    "minute": lambda text: datetime.strptime(text, "%Y-%m-%d %H:%M"),
}


def typed(row, formats):
    """A row with the types of a warehouse. An empty text stands for no value."""
    return {
        name: None if value == "" else READ.get(formats.get(name), lambda same: same)(value)
        for name, value in row.items()
    }


def pages(shop, key, endpoint, parameters, place):
    """Pages with the place at which the list goes on, and the response."""
    by_page = endpoint["paging"] == "page"
    while True:
        asked = {**parameters, "page" if by_page else "since_id": place, "key": key}
        # It repeats the request after 429, 5xx and lost connections.
        response = requests.get(f"{shop}/apps/svc-api/v1/data/{endpoint['name']}", params=asked)
        page = response.json()
        meta = page["meta"]
        place = place + 1 if by_page else meta["last_id"]
        yield page["data"], place, meta, response
        if len(page["data"]) < meta["per_page"] if by_page else not meta["has_more"]:
            return


def day_of(meta, response):
    """The day of the shop from which on the next run asks for changes."""
    said = response.headers.get("Shop-Time")
    now = datetime.fromisoformat(said.replace("Z", "+00:00")) if said else datetime.now(timezone.utc)
    return (now - OVERLAP).astimezone(ZoneInfo(meta["timezone"])).date().isoformat()


def rows(shop, key, endpoint):
    state = dlt.current.resource_state()
    changes = "since_updated" in endpoint["filters"]
    parameters = {"since_updated": state["since_updated"]} if "since_updated" in state else {}
    first = 1 if endpoint["paging"] == "page" else 0
    # since_id begins at 0 in every run, except where rows are only added.
    start = state.get("since_id", first) if endpoint["adds_only"] else first
    next_day = None
    for data, place, meta, response in pages(shop, key, endpoint, parameters, start):
        if changes and next_day is None:
            next_day = day_of(meta, response)
        yield [typed(row, endpoint["fields"]) for row in data]
        if endpoint["adds_only"]:
            state["since_id"] = place
    if changes:
        state["since_updated"] = next_day


@dlt.source(name="perennial", max_table_nesting=0)
def perennial(shop: str, key: str):
    for endpoint in ENDPOINTS:
        changes = "since_updated" in endpoint["filters"]
        table = endpoint["name"].replace("-", "_")
        yield dlt.resource(
            rows,
            name=table,
            table_name=table,
            primary_key=endpoint["key"] or None,
            write_disposition="merge" if changes else "append" if endpoint["adds_only"] else "replace",
            columns={
                name: {**COLUMNS[form], "nullable": name not in endpoint["key"]}
                for name, form in endpoint["fields"].items()
            },
        )(shop.rstrip("/"), key, endpoint)


if __name__ == "__main__":
    pipeline = dlt.pipeline("perennial", destination="duckdb", dataset_name="data_api")
    print(pipeline.run(perennial(os.environ["SHOP"], os.environ["KEY"])))
    print(pipeline.last_trace.last_normalize_info.row_counts)
