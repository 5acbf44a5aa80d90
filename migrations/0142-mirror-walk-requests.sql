-- expand: code from 0016 can run on this schema.
-- `requests` rises with each request for a comparison, so that whoever has asked knows the end of a walk that began after it.
-- `last_compared`: what the walk that ended last has compared, since the next one begins to count anew.
alter table tag_walks add column requests integer not null default 0;
alter table tag_walks add column last_compared integer not null default 0;
alter table metafield_stores add column requests integer not null default 0;
-- The requests that the walk under way knew when it began, and those that the last one that has ended knew.
alter table metafield_stores add column begun_requests integer not null default 0;
alter table metafield_stores add column ended_requests integer not null default 0;
alter table metafield_stores add column last_compared integer not null default 0;
update tag_walks set last_compared = compared;
update metafield_stores set last_compared = compared;
