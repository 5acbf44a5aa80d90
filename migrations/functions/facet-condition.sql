-- The condition of a facet on list_rows, as text, so that each facet is planned for its own index.
create or replace function facet_condition(of_list text, of_plan bigint, of_status text) returns text language sql stable as $$
  select format('list = %L', of_list)
      || case when of_plan = 0 then '' else format(' and plan_id = %s', of_plan) end
      || case when of_status = '' then '' else format(' and status = %L', of_status) end
$$;
