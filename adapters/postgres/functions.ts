/**
 * The operations of most batches and takes, each as one statement. Every statement inside such a function
 * sees what was committed before that statement began, so the locks it has taken protect the following ones.
 */
export const CREATE_FUNCTIONS = `
  -- Stores a batch if the tenant already has all its names, each event once. Returns the events stored now,
  -- or one row that says why nothing was stored: the tenant was dropped, or a name is new and has to be
  -- checked.
  create function event_query.append_known(
    of_tenant text, times bigint[], ids text[], names text[], users text[], texts text[], arrivals bigint[]
  ) returns table (verdict text, stored_ts bigint, stored_id text) language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended(of_tenant, 0));
    if exists (select from event_query.dropped_tenants where tenant = of_tenant) then
      return query select 'dropped', null::bigint, null::text;
    elsif exists (
      select from unnest(names) as sent (name) where not exists (
        select from event_query.event_names where tenant = of_tenant and event_name = name
      )
    ) then
      return query select 'new names', null::bigint, null::text;
    else
      return query
        insert into event_query.events
          (tenant, ts, insert_id, event_name, user_id, properties, received_at)
        select of_tenant, * from unnest(times, ids, names, users, texts, arrivals)
        on conflict (tenant, ts, insert_id) do nothing returning 'stored', ts, insert_id;
    end if;
  end $$;

  -- The arithmetic of takeTokens: takes from all buckets or from none, and returns the previous state of the
  -- buckets, from which the core computes the result. All numbers are integers. With taken_at it returns
  -- tokens.
  create function event_query.take_tokens(
    of_id text, now_ms bigint, taken_at bigint, limits numeric[], windows numeric[], reserves numeric[],
    costs numeric[]
  ) returns table (used_before bigint[], updated_before bigint) language plpgsql as $$
  declare
    seen_at bigint;
  begin
    insert into event_query.buckets values (of_id, '{}', now_ms) on conflict (id) do nothing;
    select used, updated_at into used_before, updated_before
      from event_query.buckets where id = of_id for update;
    seen_at := greatest(now_ms, updated_before);
    with asked as (
      select place, (size - reserve) * window_ms as takeable,
        case
          when taken_at is null then least(cost, greatest(1, size - reserve)) * window_ms
          else -greatest(0, cost * window_ms - size * (seen_at - taken_at))
        end as units,
        greatest(0, least(coalesce(used_before[place], 0), size * window_ms)
          - size * (seen_at - updated_before)) as held
      from unnest(limits, windows, reserves, costs) with ordinality
        as terms (size, window_ms, reserve, cost, place)
    ), judged as (
      select place, held, units, bool_and(units <= 0 or held + units <= takeable) over () as allowed
      from asked
    )
    update event_query.buckets set updated_at = seen_at, used = (
      select array_agg(greatest(0, held + case when allowed then units else 0 end)::bigint order by place)
      from judged
    ) where id = of_id;
    return next;
  end $$;

  -- At most three different values, for examples.
  create function event_query.keep_few(kept text[], value text) returns text[]
    language plpgsql immutable parallel safe as $$
      begin
        if cardinality(kept) = 3 or value = any(kept) then return kept; end if;
        return kept || value;
      end $$;
  create function event_query.join_few(kept text[], others text[]) returns text[]
    language sql immutable parallel safe as $$
      select array(select distinct value from unnest(kept || others) as any_of (value) limit 3) $$;
  create aggregate event_query.few(text) (
    sfunc = event_query.keep_few, combinefunc = event_query.join_few, stype = text[], initcond = '{}',
    parallel = safe
  );
`;
