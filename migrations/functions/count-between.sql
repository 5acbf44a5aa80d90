-- Counts the rows of a facet between two keys: for the part of a block beyond the edge of a period. It has only the lists
-- that can be filtered by date, with one statement per facet, so that each is planned for its index.
create or replace function count_between(
  store bigint, of_list text, of_plan bigint, of_status text,
  key_at timestamptz, key_id bigint, end_at timestamptz, end_id bigint
) returns bigint language plpgsql stable as $$
begin
  case
    when of_list = 'subscriptions' and of_plan = 0 and of_status = '' then
      return (select count(*) from subscriptions where store_id = store
                 and (created_at, id) >= (key_at, key_id) and (created_at, id) < (end_at, end_id));
    when of_list = 'subscriptions' and of_plan = 0 then
      return (select count(*) from subscriptions where store_id = store and public_status = of_status
                 and (created_at, id) >= (key_at, key_id) and (created_at, id) < (end_at, end_id));
    when of_list = 'subscriptions' and of_status = '' then
      return (select count(*) from subscriptions where store_id = store and plan_id = of_plan
                 and (created_at, id) >= (key_at, key_id) and (created_at, id) < (end_at, end_id));
    when of_list = 'subscriptions' then
      return (select count(*) from subscriptions where store_id = store and plan_id = of_plan and public_status = of_status
                 and (created_at, id) >= (key_at, key_id) and (created_at, id) < (end_at, end_id));
    when of_list = 'billing_attempts' and of_status = '' then
      return (select count(*) from billing_attempts where store_id = store
                 and (scheduled_at, id) >= (key_at, key_id) and (scheduled_at, id) < (end_at, end_id));
    when of_list = 'billing_attempts' then
      return (select count(*) from billing_attempts where store_id = store and status = of_status
                 and (scheduled_at, id) >= (key_at, key_id) and (scheduled_at, id) < (end_at, end_id));
  end case;
end $$;
