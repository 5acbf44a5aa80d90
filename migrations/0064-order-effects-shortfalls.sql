-- expand: code from 0016 can run on this schema.
-- What a later dispute has taken of an earlier shortfall is given back, and the shortfall of what was won or corrected is taken off: the orders are
-- looked at again. Their time is over in every store, whatever its clock says.
update order_effects e set due_at = timestamptz '2000-01-01 00:00Z', version = e.version + 1
 where exists (select from credit_entries c
                where c.store_id = e.store_id and c.order_id = e.order_id and c.type in (6, 13) and c.shortfall_minor > 0)
    or exists (select from points_entries p
                where p.store_id = e.store_id and p.order_id = e.order_id and p.shortfall_points > 0);
