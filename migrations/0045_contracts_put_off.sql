-- Contracts that are on the platform and could not be read or taken over, with what stood in the way. A look at the platform goes on
-- without them, and asks for them again later. The row goes when one is taken over, or gone from the platform.
create table contracts_put_off (
  store_id bigint not null references stores,
  contract_id text not null check (contract_id ~ '^[0-9]{1,20}$'),
  reason text not null check (length(reason) <= 500),
  since timestamptz not null,
  primary key (store_id, contract_id)
);
select protect_table('contracts_put_off');
