-- The mark: every change up to this number is folded and deleted.
create or replace function folded_to(store bigint, of_changes text) returns bigint language sql stable as $$
  select coalesce((select folded_to from fold_marks where store_id = store and changes = of_changes
                    order by folded_to desc limit 1), 0)
$$;
