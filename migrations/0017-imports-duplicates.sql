-- expand: code from 0016 can run on this schema.
-- Rows without an id that create the same for the same customer are refused, unless their import allows them.
alter table imports add column allow_duplicates boolean not null default false;

-- What a row that creates a contract is for: plan:<our id>, or variant:<platform number> without a plan.
alter table import_rows add column creates text check (length(creates) <= 50);
create index import_rows_creating on import_rows (store_id, platform_customer_id) where status = 'creating';
