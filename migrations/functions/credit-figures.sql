-- The figures of a ledger entry, by its type (the codes of the Data API): some change the balance only.
create or replace function credit_figures(type smallint, amount_minor bigint)
returns table (figure text, amount numeric) language sql immutable as $$
  select m.figure, m.amount
    from (values
      ('credit_balance', amount_minor::numeric),
      (case when type in (1, 2, 5, 10, 11, 12) then 'credit_issued' end, amount_minor),
      (case when type in (3, 4) then 'credit_redeemed' end, -amount_minor),
      (case when type = 8 then 'credit_expired' end, -amount_minor)
    ) m(figure, amount)
   where m.figure is not null
$$;
