-- Stores the plan at the time of writing with ledger entries, coupons and billing attempts: the plan of a member or of a
-- subscription may change later.
create or replace function set_plan_of_member() returns trigger language plpgsql as $$
begin
  new.plan_id := (select m.plan_id from members m where m.store_id = new.store_id and m.id = new.member_id);
  return new;
end $$;

create or replace trigger set_plan before insert on credit_entries for each row execute function set_plan_of_member();
create or replace trigger set_plan before insert on points_entries for each row execute function set_plan_of_member();
create or replace trigger set_plan before insert on loyalty_coupons for each row execute function set_plan_of_member();

create or replace function set_plan_of_subscription() returns trigger language plpgsql as $$
begin
  new.plan_id := (select s.plan_id from subscriptions s where s.store_id = new.store_id and s.id = new.subscription_id);
  return new;
end $$;

create or replace trigger set_plan before insert on billing_attempts for each row execute function set_plan_of_subscription();
