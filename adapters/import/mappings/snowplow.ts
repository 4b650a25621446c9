import { invalid, type ApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { isJsonObject } from '../../../src/internal.ts';
import { exactNumber } from './exact-number.ts';
import { parseObject } from './json-object.ts';
import type { Mapping } from './mapping.ts';

/** The 131 columns of an enriched event, in order. */
export const SNOWPLOW_COLUMNS = (
  'app_id platform etl_tstamp collector_tstamp dvce_created_tstamp event event_id txn_id ' +
  'name_tracker v_tracker v_collector v_etl user_id user_ipaddress user_fingerprint domain_userid ' +
  'domain_sessionidx network_userid geo_country geo_region geo_city geo_zipcode geo_latitude ' +
  'geo_longitude geo_region_name ip_isp ip_organization ip_domain ip_netspeed page_url page_title ' +
  'page_referrer page_urlscheme page_urlhost page_urlport page_urlpath page_urlquery ' +
  'page_urlfragment refr_urlscheme refr_urlhost refr_urlport refr_urlpath refr_urlquery ' +
  'refr_urlfragment refr_medium refr_source refr_term mkt_medium mkt_source mkt_term mkt_content ' +
  'mkt_campaign contexts se_category se_action se_label se_property se_value unstruct_event ' +
  'tr_orderid tr_affiliation tr_total tr_tax tr_shipping tr_city tr_state tr_country ti_orderid ' +
  'ti_sku ti_name ti_category ti_price ti_quantity pp_xoffset_min pp_xoffset_max pp_yoffset_min ' +
  'pp_yoffset_max useragent br_name br_family br_version br_type br_renderengine br_lang ' +
  'br_features_pdf br_features_flash br_features_java br_features_director br_features_quicktime ' +
  'br_features_realplayer br_features_windowsmedia br_features_gears br_features_silverlight ' +
  'br_cookies br_colordepth br_viewwidth br_viewheight os_name os_family os_manufacturer ' +
  'os_timezone dvce_type dvce_ismobile dvce_screenwidth dvce_screenheight doc_charset doc_width ' +
  'doc_height tr_currency tr_total_base tr_tax_base tr_shipping_base ti_currency ti_price_base ' +
  'base_currency geo_timezone mkt_clickid mkt_network etl_tags dvce_sent_tstamp refr_domain_userid ' +
  'refr_dvce_tstamp derived_contexts domain_sessionid derived_tstamp event_vendor event_name ' +
  'event_format event_version event_fingerprint true_tstamp'
).split(' ');

/** What the texts of a column are. Any other column is text. */
const NUMBERS = new Set(
  (
    'txn_id domain_sessionidx geo_latitude geo_longitude page_urlport refr_urlport se_value ti_quantity ' +
    'tr_total tr_tax tr_shipping ti_price tr_total_base tr_tax_base tr_shipping_base ti_price_base ' +
    'pp_xoffset_min pp_xoffset_max pp_yoffset_min pp_yoffset_max br_viewwidth br_viewheight ' +
    'dvce_screenwidth dvce_screenheight doc_width doc_height'
  ).split(' '),
);
const FLAGS = /^(br_features_\w+|br_cookies|dvce_ismobile)$/;
const JSONS = /^(contexts|unstruct_event|derived_contexts)$/;

/** How the text of each column is read, in the order of the columns. */
const READERS = SNOWPLOW_COLUMNS.map((name): ((text: string) => JsonValue) => {
  if (NUMBERS.has(name)) return toNumber;
  if (FLAGS.test(name)) return toFlag;
  return JSONS.test(name) ? toJson : (text) => text;
});

/**
 * An enriched event of Snowplow. Copies of one event have one id; copies that differ in their fingerprint
 * are different events that share it.
 */
export const SNOWPLOW: Mapping = {
  title: 'enriched events of Snowplow (TSV)',
  fits: (record) => Object.hasOwn(record, 'event_fingerprint') && Object.hasOwn(record, 'collector_tstamp'),
  prepare: (record) => {
    const data = dataOf(record.unstruct_event);
    // What has another shape stays where it is, so that nothing is lost.
    return data === null ? record : { ...record, data, unstruct_event: null };
  },
  words: { data: 'the data of unstruct_event' },
  eventName: ['event_name', 'event'],
  userId: ['user_id', 'domain_userid', 'network_userid'],
  eventTs: ['true_tstamp', 'derived_tstamp', 'collector_tstamp'],
  zone: 'UTC',
  insertId: { kind: 'id', from: ['event_id', 'event_fingerprint'] },
  properties: {
    spread: ['data'],
    fields: ['event_id', 'event_fingerprint', 'event_name'],
    rest: 'snowplow',
  },
};

/** The record of a line of 131 columns; an ApiError when it has another number. */
export function toSnowplowRecord(line: string): JsonObject | ApiError {
  const cells = line.split('\t');
  const [count, wanted] = [cells.length, SNOWPLOW_COLUMNS.length];
  if (count !== wanted)
    return invalid('event', `its line has ${count} columns, and enriched events of Snowplow have ${wanted}`);
  const record: JsonObject = {};
  for (let i = 0; i < cells.length; i++) {
    if (cells[i] !== '') record[SNOWPLOW_COLUMNS[i]!] = READERS[i]!(cells[i]!);
  }
  return record;
}

function toNumber(text: string): JsonValue {
  return exactNumber(text) ?? text;
}

function toFlag(text: string): JsonValue {
  return text === '1' || text === 'true' ? true : text === '0' || text === 'false' ? false : text;
}

function toJson(text: string): JsonValue {
  return parseObject(text) ?? text;
}

/** What the sender of an event of its own put into it: `{"schema", "data": {"schema", "data": {…}}}`. */
function dataOf(unstruct: JsonValue | undefined): JsonObject | null {
  const outer = isJsonObject(unstruct) && isJsonObject(unstruct.data) ? unstruct.data.data : undefined;
  return isJsonObject(outer) ? outer : null;
}
