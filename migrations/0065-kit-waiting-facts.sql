-- expand: code from 0016 can run on this schema.
-- Whom facts of a store wait for: consumers that have not passed them, or have failed on them. Null is every consumer: facts that
-- have no position yet. Rules of the auditor read it, so that they compare only what is settled, in the same statement.
create view waiting_facts with (security_invoker = true) as
  select store_id, null::text as consumer from facts where position is null
  union all
  select store_id, consumer from fact_consumers where position < last_position
  union all
  select store_id, consumer from fact_retries;
grant select on waiting_facts to perennial_store, perennial_operator;
