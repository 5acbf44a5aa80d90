-- expand: code from 0001 can run on this schema.
-- What an app changed of a single billing cycle.
create table sandbox.cycle_edits (
  store_id bigint not null,
  contract_id bigint not null,
  -- Counted from the beginning of the contract, over all its numberings.
  cycle integer not null,
  is_skipped boolean not null default false,
  -- When the cycle is billed instead; null: at its end.
  billing_at timestamptz,
  -- The terms of this cycle alone; null: those of the contract.
  terms jsonb,
  updated_at timestamptz not null,
  primary key (store_id, contract_id, cycle)
);
grant select, insert, update, delete on sandbox.cycle_edits to perennial_operator, perennial_store;

-- The cycle that a draft is about, counted likewise; null: the contract.
alter table sandbox.drafts add column cycle integer;
