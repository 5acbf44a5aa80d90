-- expand: code from 0016 can run on this schema.
-- What of the price is delivery, and how many pieces it is for, as the contract was last read: a discount is off the pieces alone.
alter table subscriptions
  add column delivery_minor bigint not null default 0 check (delivery_minor >= 0),
  add column pieces int not null default 1 check (pieces >= 0);
