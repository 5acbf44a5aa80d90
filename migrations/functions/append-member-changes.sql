-- Records what a change of members means for the metrics.
-- Old and new rows are added up instead of joined, since the plan of a join of one row would be kept for many.
create or replace function append_member_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into status_changes (store_id, subject, subject_id, at, plan_id, day, metric, detail, amount)
    select n.store_id, 'member', n.id, n.updated_at, f.*
      from new_rows n join stores s on s.store_id = n.store_id
     cross join lateral member_metric_changes(null, null, n.status, n.plan_id,
       shop_day(n.member_since, s.timezone), shop_day(n.updated_at, s.timezone)) f
     where n.status is not null;
  else
    insert into status_changes (store_id, subject, subject_id, at, plan_id, day, metric, detail, amount)
    select n.store_id, 'member', n.id, n.updated_at, f.*
      from (select b.store_id, b.id, max(b.was) as was, max(b.was_plan) as was_plan, max(b.status) as status,
                   max(b.plan_id) as plan_id, max(b.member_since) as member_since, max(b.updated_at) as updated_at
              from (select store_id, id, status as was, plan_id as was_plan, null as status, null::bigint as plan_id,
                           null::timestamptz as member_since, null::timestamptz as updated_at from old_rows
                    union all
                    select store_id, id, null, null, status, plan_id, member_since, updated_at from new_rows) b
             group by b.store_id, b.id
            having (max(b.was), max(b.was_plan)) is distinct from (max(b.status), max(b.plan_id))) n
      join stores s on s.store_id = n.store_id
     cross join lateral member_metric_changes(n.was, n.was_plan, n.status, n.plan_id,
       shop_day(n.member_since, s.timezone), shop_day(n.updated_at, s.timezone)) f;
  end if;
  return null;
end $$;

create or replace trigger append_metrics_new after insert on members
  referencing new table as new_rows for each statement execute function append_member_changes();
create or replace trigger append_metrics after update on members
  referencing old table as old_rows new table as new_rows for each statement execute function append_member_changes();
