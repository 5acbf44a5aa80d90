-- expand: code from 0016 can run on this schema.
-- How often the balances of an integration were changed: pages that are kept show older ones where it is another.
alter table reward_integrations add column balances_version bigint not null default 0;
