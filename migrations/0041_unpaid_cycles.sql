-- The cycle that was being charged, had been declined or was due when the subscription was paused or cancelled. If its period still
-- runs when the subscription comes back, it is owed, and stands here until billing takes it up. And whether it was dunning that
-- paused it, which a late payment takes back.
alter table subscriptions
  add column unpaid_cycle integer check (unpaid_cycle is null or status in ('active', 'paused', 'cancelled')),
  add column paused_by_dunning boolean not null default false,
  add check (not paused_by_dunning or status = 'paused');

update subscriptions set unpaid_cycle = case status when 'paused' then next_cycle - 1 else next_cycle end
 where (status = 'paused' or grace_ends_at is not null) and (declines > 0 or inventory_failures > 0)
   and case status when 'paused' then next_cycle - 1 else next_cycle end > cycle_index;
update subscriptions s set paused_by_dunning = true
 where s.status = 'paused' and s.unpaid_cycle is not null
   and exists (select from contract_activities a
                where a.store_id = s.store_id and a.subscription_id = s.id and a.kind = 'gave_up'
                  and a.refs ->> 'ending' = 'pause' and a.occurred_at = s.paused_at);

-- Who has paid all of a fixed number of cycles has no next date, only an end.
update subscriptions set next_billing_at = null
 where status = 'active' and cycles_paid >= max_cycles and declines = 0 and inventory_failures = 0
   and billing_due_at is not null;
update members m set next_billing_at = h.next_billing_at
  from (select store_id, coalesce(receiver_member_id, member_id) as id, min(next_billing_at) as next_billing_at
          from subscriptions group by 1, 2) h
 where h.store_id = m.store_id and h.id = m.id and m.next_billing_at is distinct from h.next_billing_at;
