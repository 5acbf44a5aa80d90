-- Records what an accepted offer means for the metrics, and what it no longer means.
create or replace function append_contract_offer_changes() returns trigger language plpgsql as $$
begin
  insert into metric_changes (store_id, plan_id, day, metric, amount)
  select new.store_id, new.plan_id, shop_day(new.accepted_at, s.timezone), f.metric, sum(f.amount)
    from stores s
   cross join lateral (
     select n.metric, n.amount from contract_offer_metrics(new.status, new.lost_at) n
     union all
     select w.metric, -w.amount from contract_offer_metrics(old.status, old.lost_at) w where tg_op = 'UPDATE') f
   where s.store_id = new.store_id
   group by f.metric, s.timezone having sum(f.amount) <> 0;
  return null;
end $$;

create or replace trigger append_metrics after insert on contract_offers for each row
  when (new.status <> 'applying') execute function append_contract_offer_changes();
create or replace trigger append_changed_metrics after update on contract_offers for each row
  when ((old.status = 'applying') <> (new.status = 'applying') or (old.lost_at is null) <> (new.lost_at is null))
  execute function append_contract_offer_changes();
