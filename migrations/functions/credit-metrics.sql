-- The metrics of a ledger entry, by its type (the codes of the Data API): some change the balance only. What is restored of a
-- redemption lowers what was redeemed; it is not issued again.
create or replace function credit_metrics(type smallint, amount_minor bigint)
returns table (metric text, amount numeric) language sql immutable as $$
  select m.metric, m.amount
    from (values
      ('credit_balance', amount_minor::numeric),
      (case when type in (1, 2, 10, 11, 12) then 'credit_issued' end, amount_minor),
      (case when type in (4, 5) then 'credit_redeemed' end, -amount_minor),
      (case when type = 8 then 'credit_expired' end, -amount_minor)
    ) m(metric, amount)
   where m.metric is not null
$$;
