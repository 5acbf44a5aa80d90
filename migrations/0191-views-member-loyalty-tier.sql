-- expand: code from 0016 can run on this schema.
-- The Member resource has the tier of loyalty too, whatever the membership.
create or replace view member_resources with (security_invoker = true) as
  select m.store_id, m.id, m.platform_customer_id, m.email, m.first_name, m.last_name, m.status, m.plan_id,
         p.name as plan_name, case when m.status <> 'cancelled' then p.tier_name end as tier,
         coalesce(l.balance, 0) as loyalty_points, coalesce(c.balance_minor, 0) as store_credit_minor, m.birth_date,
         m.member_since, m.next_billing_at, m.created_at,
         greatest(m.updated_at, c.updated_at, l.updated_at, t.entered_at) as updated_at, lt.name as loyalty_tier
    from members m
    left join plans p on p.store_id = m.store_id and p.id = m.plan_id
    left join credit_accounts c on c.store_id = m.store_id and c.member_id = m.id
    left join points_accounts l on l.store_id = m.store_id and l.member_id = m.id
    left join loyalty_customer_tiers t on t.store_id = m.store_id and t.member_id = m.id
    left join loyalty_tiers lt on lt.store_id = t.store_id and lt.id = t.tier_id
   where m.status is not null;
