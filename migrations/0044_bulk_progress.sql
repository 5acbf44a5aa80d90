-- How many contracts the platform has listed so far for an import that waits for its list.
alter table imports add column listed_contracts integer not null default 0 check (listed_contracts >= 0);
-- A row that could not be taken apart into fields, as it came. It goes when the fields of the others do.
alter table import_rows add column original text check (length(original) <= 70000);

-- The sandbox's bulk operations run step by step, and can be made to go wrong.
alter table sandbox.shops add column bulk_faults jsonb;
alter table sandbox.bulk_operations
  add column script jsonb,
  -- Where the next page begins; null at the first.
  add column next_page text,
  -- When the next step is taken; null when it is over.
  add column step_at timestamptz;
update sandbox.bulk_operations set step_at = created_at where status in ('CREATED', 'RUNNING');
create index bulk_operations_due on sandbox.bulk_operations (store_id, step_at) where step_at is not null;
