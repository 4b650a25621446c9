/**
 * The operations of most batches and takes, each as one statement. Every statement inside such a function
 * sees what was committed before that statement began, so the locks it has taken protect the following ones.
 */
export const CREATE_FUNCTIONS = `
  -- Stores a batch if the tenant already has all its names, each event once. Returns the events stored now,
  -- or one row that says why nothing was stored: the tenant was dropped, or a name is new and has to be
  -- checked.
  ${appendKnown()}

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
`;

/**
 * When events arrive. Processes of an earlier version still call the function without it, so that function
 * stays: the events that it stores have no arrival.
 */
export const APPEND_RECEIVED = `
  alter table event_query.events add column received_at bigint;
  ${appendKnown({ column: 'received_at', argument: 'arrivals' })}
`;

/**
 * Writes the function that stores a batch of a tenant that has all its names. Both versions store what they
 * are given in the same way; the later one is given a column more.
 */
function appendKnown(more?: { readonly column: string; readonly argument: string }): string {
  const [parameter, column, argument] =
    more === undefined
      ? ['', '', '']
      : [`, ${more.argument} bigint[]`, `, ${more.column}`, `, ${more.argument}`];
  return `create function event_query.append_known(
    of_tenant text, times bigint[], ids text[], names text[], users text[], texts text[]${parameter}
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
        insert into event_query.events (tenant, ts, insert_id, event_name, user_id, properties${column})
        select of_tenant, * from unnest(times, ids, names, users, texts${argument})
        on conflict (tenant, ts, insert_id) do nothing returning 'stored', ts, insert_id;
    end if;
  end $$;`;
}
