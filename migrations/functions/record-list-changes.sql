-- Records every change of a row of the lists in list_changes. Old and new rows are added up instead of joined,
-- since the plan of a join of one row would be kept for many.
create or replace function record_member_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'members', created_at, id, plan_id, status, 1 from new_rows where status is not null;
  elsif tg_op = 'DELETE' then
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'members', created_at, id, plan_id, status, -1 from old_rows where status is not null;
  else
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'members', created_at, id, plan_id, status, sum(delta)
      from (select store_id, created_at, id, plan_id, status, -1 as delta from old_rows where status is not null
            union all
            select store_id, created_at, id, plan_id, status, 1 from new_rows where status is not null) both_sides
     group by store_id, created_at, id, plan_id, status having sum(delta) <> 0;
  end if;
  return null;
end $$;

create or replace trigger record_inserts after insert on members
  referencing new table as new_rows for each statement execute function record_member_changes();
create or replace trigger record_updates after update on members
  referencing old table as old_rows new table as new_rows for each statement execute function record_member_changes();
create or replace trigger record_deletes after delete on members
  referencing old table as old_rows for each statement execute function record_member_changes();

create or replace function record_subscription_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'subscriptions', created_at, id, plan_id, public_status, 1 from new_rows;
  elsif tg_op = 'DELETE' then
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'subscriptions', created_at, id, plan_id, public_status, -1 from old_rows;
  else
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'subscriptions', created_at, id, plan_id, public_status, sum(delta)
      from (select store_id, created_at, id, plan_id, public_status, -1 as delta from old_rows
            union all
            select store_id, created_at, id, plan_id, public_status, 1 from new_rows) both_sides
     group by store_id, created_at, id, plan_id, public_status having sum(delta) <> 0;
  end if;
  return null;
end $$;

create or replace trigger record_inserts after insert on subscriptions
  referencing new table as new_rows for each statement execute function record_subscription_changes();
create or replace trigger record_updates after update on subscriptions
  referencing old table as old_rows new table as new_rows for each statement execute function record_subscription_changes();
create or replace trigger record_deletes after delete on subscriptions
  referencing old table as old_rows for each statement execute function record_subscription_changes();

create or replace function record_attempt_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (store_id, list, at, id, status, delta)
    select store_id, 'billing_attempts', scheduled_at, id, status, 1 from new_rows;
  elsif tg_op = 'DELETE' then
    insert into list_changes (store_id, list, at, id, status, delta)
    select store_id, 'billing_attempts', scheduled_at, id, status, -1 from old_rows;
  else
    insert into list_changes (store_id, list, at, id, status, delta)
    select store_id, 'billing_attempts', scheduled_at, id, status, sum(delta)
      from (select store_id, scheduled_at, id, status, -1 as delta from old_rows
            union all
            select store_id, scheduled_at, id, status, 1 from new_rows) both_sides
     group by store_id, scheduled_at, id, status having sum(delta) <> 0;
  end if;
  return null;
end $$;

create or replace trigger record_inserts after insert on billing_attempts
  referencing new table as new_rows for each statement execute function record_attempt_changes();
create or replace trigger record_updates after update on billing_attempts
  referencing old table as old_rows new table as new_rows for each statement execute function record_attempt_changes();
create or replace trigger record_deletes after delete on billing_attempts
  referencing old table as old_rows for each statement execute function record_attempt_changes();
