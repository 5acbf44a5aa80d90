-- expand: code from 0016 can run on this schema.
create index team_changes_by_request on team_changes (request_id);
