-- expand: code from 0016 can run on this schema.
-- Free delivery, and an amount off each piece: earlier code leaves contracts with these to nodes that know them.
alter table contract_grants
  add column is_of_each_item boolean not null default false,
  drop constraint contract_grants_kind_check,
  drop constraint contract_grants_check,
  add constraint contract_grants_kind_check check (kind in ('discount', 'free_shipping', 'free_product')),
  add constraint contract_grants_check
    check (num_nonnulls(percent, amount_minor, product_id) = case when kind = 'free_shipping' then 0 else 1 end),
  add check (not is_of_each_item or amount_minor is not null);
