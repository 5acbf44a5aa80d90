-- expand: code from 0016 can run on this schema.
-- Whom a version for running subscriptions is for: those that pay the list price of the version before, or all. Null: it is for new
-- subscriptions only, or was made before this migration, when it was for all.
alter table plan_versions add column running_prices text
  check (running_prices is null or (running_prices in ('list_price', 'all') and applies_to = 'running'));
