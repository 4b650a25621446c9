// @ts-nocheck
// Written by `npm run validators` from body-schema.ts; a test holds both equal.
/** The bodies as JSON Schema, by name. */
export const BODY_JSON_SCHEMAS = {"FilterEntry":{"anyOf":[{"oneOf":[{"type":"object","properties":{"property":{"type":"string","description":"takes a property path such as eventName or properties.plan"},"comparison":{"type":"string","enum":["EQUALS","NOT_EQUALS","CONTAINS","NOT_CONTAINS"]},"value":{"type":["string","number","boolean"]}},"required":["property","comparison","value"],"additionalProperties":false},{"type":"object","properties":{"property":{"type":"string","description":"takes a property path such as eventName or properties.plan"},"comparison":{"type":"string","enum":["GREATER_THAN","GREATER_THAN_OR_EQUALS","LESS_THAN","LESS_THAN_OR_EQUALS"]},"value":{"type":["number","string"]}},"required":["property","comparison","value"],"additionalProperties":false},{"type":"object","properties":{"property":{"type":"string","description":"takes a property path such as eventName or properties.plan"},"comparison":{"type":"string","enum":["STARTS_WITH","ENDS_WITH"]},"value":{"type":"string"}},"required":["property","comparison","value"],"additionalProperties":false},{"type":"object","properties":{"property":{"type":"string","description":"takes a property path such as eventName or properties.plan"},"comparison":{"type":"string","enum":["IN","NOT_IN"]},"value":{"maxItems":1000,"type":"array","items":{"type":["string","number","boolean"]}}},"required":["property","comparison","value"],"additionalProperties":false},{"type":"object","properties":{"property":{"type":"string","description":"takes a property path such as eventName or properties.plan"},"comparison":{"type":"string","enum":["IS_NOT_NULL","IS_NULL"]},"value":{"type":"null"}},"required":["property","comparison","value"],"additionalProperties":false}],"description":"takes a filter: {\"property\": …, \"comparison\": …, \"value\": …}, or one of anyOf, allOf, not"},{"type":"object","properties":{"anyOf":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"}},"required":["anyOf"],"additionalProperties":false},{"type":"object","properties":{"allOf":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"}},"required":["allOf"],"additionalProperties":false},{"type":"object","properties":{"not":{"$ref":"#/components/schemas/FilterEntry"}},"required":["not"],"additionalProperties":false}]},"QueryBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"pagination":{"type":"object","properties":{"offset":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"takes a whole number of 0 or more"},"size":{"type":"integer","minimum":1,"maximum":1000,"description":"takes a whole number from 1 to 1000"},"cursor":{"type":"string","description":"takes the X-Next-Cursor of the page before"}},"additionalProperties":false},"include":{"maxItems":1,"type":"array","items":{"type":"string","enum":["receivedAt"],"description":"takes one of: receivedAt"},"description":"takes an array of fields that events show besides the usual ones: receivedAt"}},"additionalProperties":false},"CountBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"}},"additionalProperties":false},"TopBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"of":{"type":"string","description":"takes a path below properties"},"order":{"type":"string","enum":["largest","smallest"],"description":"takes one of: largest, smallest"},"size":{"type":"integer","minimum":1,"maximum":1000,"description":"takes a whole number from 1 to 1000"},"include":{"maxItems":1,"type":"array","items":{"type":"string","enum":["receivedAt"],"description":"takes one of: receivedAt"},"description":"takes an array of fields that events show besides the usual ones: receivedAt"}},"required":["of"],"additionalProperties":false},"TailBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"include":{"maxItems":1,"type":"array","items":{"type":"string","enum":["receivedAt"],"description":"takes one of: receivedAt"},"description":"takes an array of fields that events show besides the usual ones: receivedAt"}},"additionalProperties":false},"ExportBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"pagination":{"type":"object","properties":{"cursor":{"type":"string","description":"takes the X-Next-Cursor of the page before"},"after":{"type":"object","properties":{"eventTs":{"type":"string","description":"takes the eventTs of an event that came"},"insertId":{"type":"string","description":"takes the insertId of an event that came"}},"required":["eventTs","insertId"],"additionalProperties":false}},"additionalProperties":false},"include":{"maxItems":1,"type":"array","items":{"type":"string","enum":["receivedAt"],"description":"takes one of: receivedAt"},"description":"takes an array of fields that events show besides the usual ones: receivedAt"}},"additionalProperties":false},"BreakdownBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"by":{"anyOf":[{"type":"string","description":"takes a property path, lateness, or a unit of time: minute, hour, day, week, month"},{"minItems":2,"maxItems":2,"type":"array","items":{"type":"string","description":"takes a property path, lateness, or a unit of time: minute, hour, day, week, month"}}],"description":"takes a property path, lateness, or a unit of time: minute, hour, day, week, month, or an array of two of these"},"distinct":{"type":"string","description":"takes a property path such as userId or properties.plan"},"measures":{"minItems":1,"maxItems":5,"type":"array","items":{"type":"object","properties":{"of":{"type":"string","description":"takes a path below properties, eventTs or receivedAt"},"take":{"minItems":1,"maxItems":10,"type":"array","items":{"type":"string","description":"takes sum, avg, min, max, or a percentile from p0 to p100 such as p95 or p99.9"},"description":"takes an array of 1 to 10 figures: sum, avg, min, max, or a percentile from p0 to p100 such as p95 or p99.9"}},"required":["of","take"],"additionalProperties":false},"description":"takes an array of 1 to 5 objects {\"of\", \"take\"}"},"size":{"anyOf":[{"type":"integer","minimum":1,"maximum":1000,"description":"takes a whole number from 1 to 1000"},{"minItems":2,"maxItems":2,"type":"array","items":{"type":"integer","minimum":1,"maximum":1000,"description":"takes a whole number from 1 to 1000"}}],"description":"takes a whole number from 1 to 1000, or an array of two: of rows and columns"},"orderBy":{"type":"object","properties":{"measure":{"type":"integer","minimum":0,"maximum":4,"description":"takes the place of a measure, 0 for the first"},"take":{"type":"string","description":"takes sum, avg, min, max, or a percentile from p0 to p100 such as p95 or p99.9"}},"required":["measure","take"],"additionalProperties":false,"description":"takes an object {\"measure\", \"take\"} with the place of a measure and one of its figures"},"rest":{"type":"boolean","const":true,"description":"takes true"}},"additionalProperties":false},"SequenceBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"steps":{"minItems":1,"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"}},"additionalProperties":false},"description":"takes an array of 1 to 10 steps {\"event\", \"filterSet\"}"},"within":{"type":"string","description":"takes a length of time of at most ten years, such as 30s, 15m, 12h, 7d or 4w"},"order":{"type":"string","const":"strict","description":"takes \"strict\": each step is the very next event"},"without":{"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"after":{"type":"integer","minimum":1,"maximum":10,"description":"takes the number of the step before, from 1"}},"required":["after"],"additionalProperties":false},"description":"takes an array of at most 10 objects {\"after\", \"event\", \"filterSet\"}"},"same":{"minItems":1,"maxItems":2,"type":"array","items":{"type":"string","description":"takes a property path such as userId or properties.plan"},"description":"takes an array of 1 or 2 property paths"},"distinct":{"type":"string","description":"takes a property path such as userId or properties.plan"},"by":{"type":"string","description":"takes a property path, lateness, or a unit of time: minute, hour, day, week, month"},"size":{"type":"integer","minimum":1,"maximum":1000,"description":"takes a whole number from 1 to 1000"},"percentiles":{"maxItems":10,"type":"array","items":{"type":"string","description":"takes a percentile from p0 to p100, such as p50 or p99.9"},"description":"takes an array of at most 10 percentiles"}},"required":["steps"],"additionalProperties":false},"RetentionBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"steps":{"minItems":2,"maxItems":2,"type":"array","items":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"}},"additionalProperties":false},"description":"takes an array of two steps {\"event\", \"filterSet\"}: the start, and the return"},"unit":{"type":"string","enum":["day","week","month"],"description":"takes one of: day, week, month"},"periods":{"type":"integer","minimum":1,"maximum":100,"description":"takes a whole number from 1 to 100"},"periodsFrom":{"type":"string","enum":["calendar","start"],"description":"takes calendar or start"},"distinct":{"type":"string","description":"takes a property path such as userId or properties.plan"}},"required":["steps","unit"],"additionalProperties":false},"UsersBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"distinct":{"type":"string","description":"takes a property path such as userId or properties.plan"},"having":{"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"atLeast":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"takes a whole number of 0 or more"},"atMost":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"takes a whole number of 0 or more"}},"additionalProperties":false},"description":"takes an array of at most 10 objects {\"event\", \"filterSet\", \"atLeast\", \"atMost\"}"},"sequence":{"type":"object","properties":{"steps":{"minItems":1,"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"}},"additionalProperties":false},"description":"takes an array of 1 to 10 steps {\"event\", \"filterSet\"}"},"within":{"type":"string","description":"takes a length of time of at most ten years, such as 30s, 15m, 12h, 7d or 4w"},"order":{"type":"string","const":"strict","description":"takes \"strict\": each step is the very next event"},"without":{"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"after":{"type":"integer","minimum":1,"maximum":10,"description":"takes the number of the step before, from 1"}},"required":["after"],"additionalProperties":false},"description":"takes an array of at most 10 objects {\"after\", \"event\", \"filterSet\"}"},"same":{"minItems":1,"maxItems":2,"type":"array","items":{"type":"string","description":"takes a property path such as userId or properties.plan"},"description":"takes an array of 1 or 2 property paths"},"reached":{"type":"integer","minimum":1,"maximum":10,"description":"takes the number of a step, from 1"},"stopped":{"type":"integer","minimum":1,"maximum":10,"description":"takes the number of a step, from 1"}},"required":["steps"],"additionalProperties":false},"pagination":{"type":"object","properties":{"size":{"type":"integer","minimum":1,"maximum":1000,"description":"takes a whole number from 1 to 1000"},"cursor":{"type":"string","description":"takes the X-Next-Cursor of the page before"}},"additionalProperties":false}},"additionalProperties":false},"CompareBody":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"timeZone":{"type":"string","description":"takes UTC, or the name of a time zone such as Europe/Berlin"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"},"selected":{"type":"object","properties":{"event":{"type":"string","description":"takes the name of an event"},"after":{"type":"string","description":"takes a date YYYY-MM-DD"},"before":{"type":"string","description":"takes a date YYYY-MM-DD"},"from":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"until":{"type":"string","description":"takes a date-time with an offset, such as 2024-05-18T09:00:00Z"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"},"description":"takes an array of filters"}},"additionalProperties":false,"description":"takes an object that selects the events to compare, by from and until or by a filterSet"},"paths":{"minItems":1,"maxItems":50,"type":"array","items":{"type":"string","description":"takes a property path such as userId or properties.plan"},"description":"takes an array of 1 to 50 property paths"},"size":{"type":"integer","minimum":1,"maximum":100,"description":"takes a whole number from 1 to 100"}},"required":["selected"],"additionalProperties":false}};
"use strict";
export const isQueryBody = validate10;
const schema11 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"pagination":{"type":"object","properties":{"offset":{"type":"integer","minimum":0,"maximum":9007199254740991},"size":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":"string"}},"additionalProperties":false},"include":{"maxItems":1,"type":"array","items":{"type":"string","enum":["receivedAt"]}}},"additionalProperties":false};
const func2 = Object.prototype.hasOwnProperty;
const schema12 = {"anyOf":[{"anyOf":[{"type":"object","properties":{"property":{"type":"string"},"comparison":{"type":"string","enum":["EQUALS","NOT_EQUALS","CONTAINS","NOT_CONTAINS"]},"value":{"type":["string","number","boolean"]}},"required":["property","comparison","value"],"additionalProperties":false},{"type":"object","properties":{"property":{"type":"string"},"comparison":{"type":"string","enum":["GREATER_THAN","GREATER_THAN_OR_EQUALS","LESS_THAN","LESS_THAN_OR_EQUALS"]},"value":{"type":["number","string"]}},"required":["property","comparison","value"],"additionalProperties":false},{"type":"object","properties":{"property":{"type":"string"},"comparison":{"type":"string","enum":["STARTS_WITH","ENDS_WITH"]},"value":{"type":"string"}},"required":["property","comparison","value"],"additionalProperties":false},{"type":"object","properties":{"property":{"type":"string"},"comparison":{"type":"string","enum":["IN","NOT_IN"]},"value":{"maxItems":1000,"type":"array","items":{"type":["string","number","boolean"]}}},"required":["property","comparison","value"],"additionalProperties":false},{"type":"object","properties":{"property":{"type":"string"},"comparison":{"type":"string","enum":["IS_NOT_NULL","IS_NULL"]},"value":{"type":"null"}},"required":["property","comparison","value"],"additionalProperties":false}]},{"type":"object","properties":{"anyOf":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}}},"required":["anyOf"],"additionalProperties":false},{"type":"object","properties":{"allOf":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}}},"required":["allOf"],"additionalProperties":false},{"type":"object","properties":{"not":{"$ref":"#/components/schemas/FilterEntry"}},"required":["not"],"additionalProperties":false}]};
const wrapper0 = {validate: validate11};

function validate11(data){
let errors = 0;
const _errs0 = errors;
let valid0 = false;
const _errs1 = errors;
const _errs2 = errors;
let valid1 = false;
const _errs3 = errors;
if(errors === _errs3){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.property === undefined) && (missing0 = "property")) || ((data.comparison === undefined) && (missing0 = "comparison"))) || ((data.value === undefined) && (missing0 = "value"))){
errors++;
}
else {
const _errs5 = errors;
for(const key0 in data){
if(!(((key0 === "property") || (key0 === "comparison")) || (key0 === "value"))){
errors++;
break;
}
}
if(_errs5 === errors){
if(data.property !== undefined){
const _errs6 = errors;
if(typeof data.property !== "string"){
errors++;
}
var valid2 = _errs6 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.comparison !== undefined){
let data1 = data.comparison;
const _errs8 = errors;
if(typeof data1 !== "string"){
errors++;
}
if(!((((data1 === "EQUALS") || (data1 === "NOT_EQUALS")) || (data1 === "CONTAINS")) || (data1 === "NOT_CONTAINS"))){
errors++;
}
var valid2 = _errs8 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.value !== undefined){
let data2 = data.value;
const _errs10 = errors;
if(((typeof data2 !== "string") && (!((typeof data2 == "number") && (isFinite(data2))))) && (typeof data2 !== "boolean")){
errors++;
}
var valid2 = _errs10 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
else {
errors++;
}
}
var _valid1 = _errs3 === errors;
valid1 = valid1 || _valid1;
if(!valid1){
const _errs12 = errors;
if(errors === _errs12){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if((((data.property === undefined) && (missing1 = "property")) || ((data.comparison === undefined) && (missing1 = "comparison"))) || ((data.value === undefined) && (missing1 = "value"))){
errors++;
}
else {
const _errs14 = errors;
for(const key1 in data){
if(!(((key1 === "property") || (key1 === "comparison")) || (key1 === "value"))){
errors++;
break;
}
}
if(_errs14 === errors){
if(data.property !== undefined){
const _errs15 = errors;
if(typeof data.property !== "string"){
errors++;
}
var valid3 = _errs15 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data.comparison !== undefined){
let data4 = data.comparison;
const _errs17 = errors;
if(typeof data4 !== "string"){
errors++;
}
if(!((((data4 === "GREATER_THAN") || (data4 === "GREATER_THAN_OR_EQUALS")) || (data4 === "LESS_THAN")) || (data4 === "LESS_THAN_OR_EQUALS"))){
errors++;
}
var valid3 = _errs17 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data.value !== undefined){
let data5 = data.value;
const _errs19 = errors;
if((!((typeof data5 == "number") && (isFinite(data5)))) && (typeof data5 !== "string")){
errors++;
}
var valid3 = _errs19 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
}
else {
errors++;
}
}
var _valid1 = _errs12 === errors;
valid1 = valid1 || _valid1;
if(!valid1){
const _errs21 = errors;
if(errors === _errs21){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if((((data.property === undefined) && (missing2 = "property")) || ((data.comparison === undefined) && (missing2 = "comparison"))) || ((data.value === undefined) && (missing2 = "value"))){
errors++;
}
else {
const _errs23 = errors;
for(const key2 in data){
if(!(((key2 === "property") || (key2 === "comparison")) || (key2 === "value"))){
errors++;
break;
}
}
if(_errs23 === errors){
if(data.property !== undefined){
const _errs24 = errors;
if(typeof data.property !== "string"){
errors++;
}
var valid4 = _errs24 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.comparison !== undefined){
let data7 = data.comparison;
const _errs26 = errors;
if(typeof data7 !== "string"){
errors++;
}
if(!((data7 === "STARTS_WITH") || (data7 === "ENDS_WITH"))){
errors++;
}
var valid4 = _errs26 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.value !== undefined){
const _errs28 = errors;
if(typeof data.value !== "string"){
errors++;
}
var valid4 = _errs28 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
else {
errors++;
}
}
var _valid1 = _errs21 === errors;
valid1 = valid1 || _valid1;
if(!valid1){
const _errs30 = errors;
if(errors === _errs30){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing3;
if((((data.property === undefined) && (missing3 = "property")) || ((data.comparison === undefined) && (missing3 = "comparison"))) || ((data.value === undefined) && (missing3 = "value"))){
errors++;
}
else {
const _errs32 = errors;
for(const key3 in data){
if(!(((key3 === "property") || (key3 === "comparison")) || (key3 === "value"))){
errors++;
break;
}
}
if(_errs32 === errors){
if(data.property !== undefined){
const _errs33 = errors;
if(typeof data.property !== "string"){
errors++;
}
var valid5 = _errs33 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.comparison !== undefined){
let data10 = data.comparison;
const _errs35 = errors;
if(typeof data10 !== "string"){
errors++;
}
if(!((data10 === "IN") || (data10 === "NOT_IN"))){
errors++;
}
var valid5 = _errs35 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.value !== undefined){
let data11 = data.value;
const _errs37 = errors;
if(errors === _errs37){
if(Array.isArray(data11)){
if(data11.length > 1000){
errors++;
}
else {
var valid6 = true;
const len0 = data11.length;
for(let i0=0; i0<len0; i0++){
let data12 = data11[i0];
const _errs39 = errors;
if(((typeof data12 !== "string") && (!((typeof data12 == "number") && (isFinite(data12))))) && (typeof data12 !== "boolean")){
errors++;
}
var valid6 = _errs39 === errors;
if(!valid6){
break;
}
}
}
}
else {
errors++;
}
}
var valid5 = _errs37 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
}
else {
errors++;
}
}
var _valid1 = _errs30 === errors;
valid1 = valid1 || _valid1;
if(!valid1){
const _errs41 = errors;
if(errors === _errs41){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing4;
if((((data.property === undefined) && (missing4 = "property")) || ((data.comparison === undefined) && (missing4 = "comparison"))) || ((data.value === undefined) && (missing4 = "value"))){
errors++;
}
else {
const _errs43 = errors;
for(const key4 in data){
if(!(((key4 === "property") || (key4 === "comparison")) || (key4 === "value"))){
errors++;
break;
}
}
if(_errs43 === errors){
if(data.property !== undefined){
const _errs44 = errors;
if(typeof data.property !== "string"){
errors++;
}
var valid7 = _errs44 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.comparison !== undefined){
let data14 = data.comparison;
const _errs46 = errors;
if(typeof data14 !== "string"){
errors++;
}
if(!((data14 === "IS_NOT_NULL") || (data14 === "IS_NULL"))){
errors++;
}
var valid7 = _errs46 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.value !== undefined){
const _errs48 = errors;
if(data.value !== null){
errors++;
}
var valid7 = _errs48 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
}
else {
errors++;
}
}
var _valid1 = _errs41 === errors;
valid1 = valid1 || _valid1;
}
}
}
}
if(!valid1){
errors++;
}
else {
errors = _errs2;
}
var _valid0 = _errs1 === errors;
valid0 = valid0 || _valid0;
if(!valid0){
const _errs50 = errors;
if(errors === _errs50){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing5;
if((data.anyOf === undefined) && (missing5 = "anyOf")){
errors++;
}
else {
const _errs52 = errors;
for(const key5 in data){
if(!(key5 === "anyOf")){
errors++;
break;
}
}
if(_errs52 === errors){
if(data.anyOf !== undefined){
let data16 = data.anyOf;
const _errs53 = errors;
if(errors === _errs53){
if(Array.isArray(data16)){
var valid9 = true;
const len1 = data16.length;
for(let i1=0; i1<len1; i1++){
const _errs55 = errors;
if(!(wrapper0.validate(data16[i1]))){
errors++;
}
var valid9 = _errs55 === errors;
if(!valid9){
break;
}
}
}
else {
errors++;
}
}
}
}
}
}
else {
errors++;
}
}
var _valid0 = _errs50 === errors;
valid0 = valid0 || _valid0;
if(!valid0){
const _errs56 = errors;
if(errors === _errs56){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing6;
if((data.allOf === undefined) && (missing6 = "allOf")){
errors++;
}
else {
const _errs58 = errors;
for(const key6 in data){
if(!(key6 === "allOf")){
errors++;
break;
}
}
if(_errs58 === errors){
if(data.allOf !== undefined){
let data18 = data.allOf;
const _errs59 = errors;
if(errors === _errs59){
if(Array.isArray(data18)){
var valid11 = true;
const len2 = data18.length;
for(let i2=0; i2<len2; i2++){
const _errs61 = errors;
if(!(wrapper0.validate(data18[i2]))){
errors++;
}
var valid11 = _errs61 === errors;
if(!valid11){
break;
}
}
}
else {
errors++;
}
}
}
}
}
}
else {
errors++;
}
}
var _valid0 = _errs56 === errors;
valid0 = valid0 || _valid0;
if(!valid0){
const _errs62 = errors;
if(errors === _errs62){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing7;
if((data.not === undefined) && (missing7 = "not")){
errors++;
}
else {
const _errs64 = errors;
for(const key7 in data){
if(!(key7 === "not")){
errors++;
break;
}
}
if(_errs64 === errors){
if(data.not !== undefined){
if(!(wrapper0.validate(data.not))){
errors++;
}
}
}
}
}
else {
errors++;
}
}
var _valid0 = _errs62 === errors;
valid0 = valid0 || _valid0;
}
}
}
if(!valid0){
errors++;
return false;
}
else {
errors = _errs0;
}
return errors === 0;
}


function validate10(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema11.properties, key0))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
let data8 = data.pagination;
const _errs17 = errors;
if(errors === _errs17){
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
const _errs19 = errors;
for(const key1 in data8){
if(!(((key1 === "offset") || (key1 === "size")) || (key1 === "cursor"))){
return false;
break;
}
}
if(_errs19 === errors){
if(data8.offset !== undefined){
let data9 = data8.offset;
const _errs20 = errors;
if(!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))){
return false;
}
if(errors === _errs20){
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 > 9007199254740991 || isNaN(data9)){
return false;
}
else {
if(data9 < 0 || isNaN(data9)){
return false;
}
}
}
}
var valid2 = _errs20 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data8.size !== undefined){
let data10 = data8.size;
const _errs22 = errors;
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
return false;
}
if(errors === _errs22){
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 > 1000 || isNaN(data10)){
return false;
}
else {
if(data10 < 1 || isNaN(data10)){
return false;
}
}
}
}
var valid2 = _errs22 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data8.cursor !== undefined){
const _errs24 = errors;
if(typeof data8.cursor !== "string"){
return false;
}
var valid2 = _errs24 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
else {
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include !== undefined){
let data12 = data.include;
const _errs26 = errors;
if(errors === _errs26){
if(Array.isArray(data12)){
if(data12.length > 1){
return false;
}
else {
var valid3 = true;
const len1 = data12.length;
for(let i1=0; i1<len1; i1++){
let data13 = data12[i1];
const _errs28 = errors;
if(typeof data13 !== "string"){
return false;
}
if(!(data13 === "receivedAt")){
return false;
}
var valid3 = _errs28 === errors;
if(!valid3){
break;
}
}
}
}
else {
return false;
}
}
var valid0 = _errs26 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}

export const isCountBody = validate13;
const schema13 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}}},"additionalProperties":false};

function validate13(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "event") || (key0 === "after")) || (key0 === "before")) || (key0 === "from")) || (key0 === "until")) || (key0 === "timeZone")) || (key0 === "filterSet"))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}

export const isTopBody = validate15;
const schema14 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"of":{"type":"string"},"order":{"type":"string","enum":["largest","smallest"]},"size":{"type":"integer","minimum":1,"maximum":1000},"include":{"maxItems":1,"type":"array","items":{"type":"string","enum":["receivedAt"]}}},"required":["of"],"additionalProperties":false};

function validate15(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.of === undefined) && (missing0 = "of")){
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema14.properties, key0))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.of !== undefined){
const _errs17 = errors;
if(typeof data.of !== "string"){
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.order !== undefined){
let data9 = data.order;
const _errs19 = errors;
if(typeof data9 !== "string"){
return false;
}
if(!((data9 === "largest") || (data9 === "smallest"))){
return false;
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.size !== undefined){
let data10 = data.size;
const _errs21 = errors;
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
return false;
}
if(errors === _errs21){
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 > 1000 || isNaN(data10)){
return false;
}
else {
if(data10 < 1 || isNaN(data10)){
return false;
}
}
}
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include !== undefined){
let data11 = data.include;
const _errs23 = errors;
if(errors === _errs23){
if(Array.isArray(data11)){
if(data11.length > 1){
return false;
}
else {
var valid2 = true;
const len1 = data11.length;
for(let i1=0; i1<len1; i1++){
let data12 = data11[i1];
const _errs25 = errors;
if(typeof data12 !== "string"){
return false;
}
if(!(data12 === "receivedAt")){
return false;
}
var valid2 = _errs25 === errors;
if(!valid2){
break;
}
}
}
}
else {
return false;
}
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}

export const isTailBody = validate17;
const schema15 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"include":{"maxItems":1,"type":"array","items":{"type":"string","enum":["receivedAt"]}}},"additionalProperties":false};

function validate17(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "event") || (key0 === "after")) || (key0 === "before")) || (key0 === "from")) || (key0 === "until")) || (key0 === "timeZone")) || (key0 === "filterSet")) || (key0 === "include"))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include !== undefined){
let data8 = data.include;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data8)){
if(data8.length > 1){
return false;
}
else {
var valid2 = true;
const len1 = data8.length;
for(let i1=0; i1<len1; i1++){
let data9 = data8[i1];
const _errs19 = errors;
if(typeof data9 !== "string"){
return false;
}
if(!(data9 === "receivedAt")){
return false;
}
var valid2 = _errs19 === errors;
if(!valid2){
break;
}
}
}
}
else {
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}

export const isExportBody = validate19;
const schema16 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"pagination":{"type":"object","properties":{"cursor":{"type":"string"},"after":{"type":"object","properties":{"eventTs":{"type":"string"},"insertId":{"type":"string"}},"required":["eventTs","insertId"],"additionalProperties":false}},"additionalProperties":false},"include":{"maxItems":1,"type":"array","items":{"type":"string","enum":["receivedAt"]}}},"additionalProperties":false};

function validate19(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema16.properties, key0))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
let data8 = data.pagination;
const _errs17 = errors;
if(errors === _errs17){
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
const _errs19 = errors;
for(const key1 in data8){
if(!((key1 === "cursor") || (key1 === "after"))){
return false;
break;
}
}
if(_errs19 === errors){
if(data8.cursor !== undefined){
const _errs20 = errors;
if(typeof data8.cursor !== "string"){
return false;
}
var valid2 = _errs20 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data8.after !== undefined){
let data10 = data8.after;
const _errs22 = errors;
if(errors === _errs22){
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
let missing0;
if(((data10.eventTs === undefined) && (missing0 = "eventTs")) || ((data10.insertId === undefined) && (missing0 = "insertId"))){
return false;
}
else {
const _errs24 = errors;
for(const key2 in data10){
if(!((key2 === "eventTs") || (key2 === "insertId"))){
return false;
break;
}
}
if(_errs24 === errors){
if(data10.eventTs !== undefined){
const _errs25 = errors;
if(typeof data10.eventTs !== "string"){
return false;
}
var valid3 = _errs25 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data10.insertId !== undefined){
const _errs27 = errors;
if(typeof data10.insertId !== "string"){
return false;
}
var valid3 = _errs27 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
else {
return false;
}
}
var valid2 = _errs22 === errors;
}
else {
var valid2 = true;
}
}
}
}
else {
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include !== undefined){
let data13 = data.include;
const _errs29 = errors;
if(errors === _errs29){
if(Array.isArray(data13)){
if(data13.length > 1){
return false;
}
else {
var valid4 = true;
const len1 = data13.length;
for(let i1=0; i1<len1; i1++){
let data14 = data13[i1];
const _errs31 = errors;
if(typeof data14 !== "string"){
return false;
}
if(!(data14 === "receivedAt")){
return false;
}
var valid4 = _errs31 === errors;
if(!valid4){
break;
}
}
}
}
else {
return false;
}
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}

export const isBreakdownBody = validate21;
const schema17 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"by":{"anyOf":[{"type":"string"},{"minItems":2,"maxItems":2,"type":"array","items":{"type":"string"}}]},"distinct":{"type":"string"},"measures":{"minItems":1,"maxItems":5,"type":"array","items":{"type":"object","properties":{"of":{"type":"string"},"take":{"minItems":1,"maxItems":10,"type":"array","items":{"type":"string"}}},"required":["of","take"],"additionalProperties":false}},"size":{"anyOf":[{"type":"integer","minimum":1,"maximum":1000},{"minItems":2,"maxItems":2,"type":"array","items":{"type":"integer","minimum":1,"maximum":1000}}]},"orderBy":{"type":"object","properties":{"measure":{"type":"integer","minimum":0,"maximum":4},"take":{"type":"string"}},"required":["measure","take"],"additionalProperties":false},"rest":{"type":"boolean","const":true}},"additionalProperties":false};

function validate21(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema17.properties, key0))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.by !== undefined){
let data8 = data.by;
const _errs17 = errors;
const _errs18 = errors;
let valid2 = false;
const _errs19 = errors;
if(typeof data8 !== "string"){
errors++;
}
var _valid0 = _errs19 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data8)){
if(data8.length > 2){
errors++;
}
else {
if(data8.length < 2){
errors++;
}
else {
var valid3 = true;
const len1 = data8.length;
for(let i1=0; i1<len1; i1++){
const _errs23 = errors;
if(typeof data8[i1] !== "string"){
errors++;
}
var valid3 = _errs23 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
errors++;
}
}
var _valid0 = _errs21 === errors;
valid2 = valid2 || _valid0;
}
if(!valid2){
errors++;
return false;
}
else {
errors = _errs18;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.distinct !== undefined){
const _errs25 = errors;
if(typeof data.distinct !== "string"){
return false;
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.measures !== undefined){
let data11 = data.measures;
const _errs27 = errors;
if(errors === _errs27){
if(Array.isArray(data11)){
if(data11.length > 5){
return false;
}
else {
if(data11.length < 1){
return false;
}
else {
var valid4 = true;
const len2 = data11.length;
for(let i2=0; i2<len2; i2++){
let data12 = data11[i2];
const _errs29 = errors;
if(errors === _errs29){
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
let missing0;
if(((data12.of === undefined) && (missing0 = "of")) || ((data12.take === undefined) && (missing0 = "take"))){
return false;
}
else {
const _errs31 = errors;
for(const key1 in data12){
if(!((key1 === "of") || (key1 === "take"))){
return false;
break;
}
}
if(_errs31 === errors){
if(data12.of !== undefined){
const _errs32 = errors;
if(typeof data12.of !== "string"){
return false;
}
var valid5 = _errs32 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data12.take !== undefined){
let data14 = data12.take;
const _errs34 = errors;
if(errors === _errs34){
if(Array.isArray(data14)){
if(data14.length > 10){
return false;
}
else {
if(data14.length < 1){
return false;
}
else {
var valid6 = true;
const len3 = data14.length;
for(let i3=0; i3<len3; i3++){
const _errs36 = errors;
if(typeof data14[i3] !== "string"){
return false;
}
var valid6 = _errs36 === errors;
if(!valid6){
break;
}
}
}
}
}
else {
return false;
}
}
var valid5 = _errs34 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
else {
return false;
}
}
var valid4 = _errs29 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
return false;
}
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.size !== undefined){
let data16 = data.size;
const _errs38 = errors;
const _errs39 = errors;
let valid7 = false;
const _errs40 = errors;
if(!(((typeof data16 == "number") && (!(data16 % 1) && !isNaN(data16))) && (isFinite(data16)))){
errors++;
}
if(errors === _errs40){
if((typeof data16 == "number") && (isFinite(data16))){
if(data16 > 1000 || isNaN(data16)){
errors++;
}
else {
if(data16 < 1 || isNaN(data16)){
errors++;
}
}
}
}
var _valid1 = _errs40 === errors;
valid7 = valid7 || _valid1;
if(!valid7){
const _errs42 = errors;
if(errors === _errs42){
if(Array.isArray(data16)){
if(data16.length > 2){
errors++;
}
else {
if(data16.length < 2){
errors++;
}
else {
var valid8 = true;
const len4 = data16.length;
for(let i4=0; i4<len4; i4++){
let data17 = data16[i4];
const _errs44 = errors;
if(!(((typeof data17 == "number") && (!(data17 % 1) && !isNaN(data17))) && (isFinite(data17)))){
errors++;
}
if(errors === _errs44){
if((typeof data17 == "number") && (isFinite(data17))){
if(data17 > 1000 || isNaN(data17)){
errors++;
}
else {
if(data17 < 1 || isNaN(data17)){
errors++;
}
}
}
}
var valid8 = _errs44 === errors;
if(!valid8){
break;
}
}
}
}
}
else {
errors++;
}
}
var _valid1 = _errs42 === errors;
valid7 = valid7 || _valid1;
}
if(!valid7){
errors++;
return false;
}
else {
errors = _errs39;
}
var valid0 = _errs38 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.orderBy !== undefined){
let data18 = data.orderBy;
const _errs46 = errors;
if(errors === _errs46){
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
let missing1;
if(((data18.measure === undefined) && (missing1 = "measure")) || ((data18.take === undefined) && (missing1 = "take"))){
return false;
}
else {
const _errs48 = errors;
for(const key2 in data18){
if(!((key2 === "measure") || (key2 === "take"))){
return false;
break;
}
}
if(_errs48 === errors){
if(data18.measure !== undefined){
let data19 = data18.measure;
const _errs49 = errors;
if(!(((typeof data19 == "number") && (!(data19 % 1) && !isNaN(data19))) && (isFinite(data19)))){
return false;
}
if(errors === _errs49){
if((typeof data19 == "number") && (isFinite(data19))){
if(data19 > 4 || isNaN(data19)){
return false;
}
else {
if(data19 < 0 || isNaN(data19)){
return false;
}
}
}
}
var valid9 = _errs49 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data18.take !== undefined){
const _errs51 = errors;
if(typeof data18.take !== "string"){
return false;
}
var valid9 = _errs51 === errors;
}
else {
var valid9 = true;
}
}
}
}
}
else {
return false;
}
}
var valid0 = _errs46 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.rest !== undefined){
let data21 = data.rest;
const _errs53 = errors;
if(typeof data21 !== "boolean"){
return false;
}
if(true !== data21){
return false;
}
var valid0 = _errs53 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}

export const isSequenceBody = validate23;
const schema18 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"steps":{"minItems":1,"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}}},"additionalProperties":false}},"within":{"type":"string"},"order":{"type":"string","const":"strict"},"without":{"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"after":{"type":"integer","minimum":1,"maximum":10}},"required":["after"],"additionalProperties":false}},"same":{"minItems":1,"maxItems":2,"type":"array","items":{"type":"string"}},"distinct":{"type":"string"},"by":{"type":"string"},"size":{"type":"integer","minimum":1,"maximum":1000},"percentiles":{"maxItems":10,"type":"array","items":{"type":"string"}}},"required":["steps"],"additionalProperties":false};

function validate23(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.steps === undefined) && (missing0 = "steps")){
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema18.properties, key0))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.steps !== undefined){
let data8 = data.steps;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data8)){
if(data8.length > 10){
return false;
}
else {
if(data8.length < 1){
return false;
}
else {
var valid2 = true;
const len1 = data8.length;
for(let i1=0; i1<len1; i1++){
let data9 = data8[i1];
const _errs19 = errors;
if(errors === _errs19){
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
const _errs21 = errors;
for(const key1 in data9){
if(!((key1 === "event") || (key1 === "filterSet"))){
return false;
break;
}
}
if(_errs21 === errors){
if(data9.event !== undefined){
const _errs22 = errors;
if(typeof data9.event !== "string"){
return false;
}
var valid3 = _errs22 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data9.filterSet !== undefined){
let data11 = data9.filterSet;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data11)){
var valid4 = true;
const len2 = data11.length;
for(let i2=0; i2<len2; i2++){
const _errs26 = errors;
if(!(validate11(data11[i2]))){
errors++;
}
var valid4 = _errs26 === errors;
if(!valid4){
break;
}
}
}
else {
return false;
}
}
var valid3 = _errs24 === errors;
}
else {
var valid3 = true;
}
}
}
}
else {
return false;
}
}
var valid2 = _errs19 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.within !== undefined){
const _errs27 = errors;
if(typeof data.within !== "string"){
return false;
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.order !== undefined){
let data14 = data.order;
const _errs29 = errors;
if(typeof data14 !== "string"){
return false;
}
if("strict" !== data14){
return false;
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.without !== undefined){
let data15 = data.without;
const _errs31 = errors;
if(errors === _errs31){
if(Array.isArray(data15)){
if(data15.length > 10){
return false;
}
else {
var valid5 = true;
const len3 = data15.length;
for(let i3=0; i3<len3; i3++){
let data16 = data15[i3];
const _errs33 = errors;
if(errors === _errs33){
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
let missing1;
if((data16.after === undefined) && (missing1 = "after")){
return false;
}
else {
const _errs35 = errors;
for(const key2 in data16){
if(!(((key2 === "event") || (key2 === "filterSet")) || (key2 === "after"))){
return false;
break;
}
}
if(_errs35 === errors){
if(data16.event !== undefined){
const _errs36 = errors;
if(typeof data16.event !== "string"){
return false;
}
var valid6 = _errs36 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data16.filterSet !== undefined){
let data18 = data16.filterSet;
const _errs38 = errors;
if(errors === _errs38){
if(Array.isArray(data18)){
var valid7 = true;
const len4 = data18.length;
for(let i4=0; i4<len4; i4++){
const _errs40 = errors;
if(!(validate11(data18[i4]))){
errors++;
}
var valid7 = _errs40 === errors;
if(!valid7){
break;
}
}
}
else {
return false;
}
}
var valid6 = _errs38 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data16.after !== undefined){
let data20 = data16.after;
const _errs41 = errors;
if(!(((typeof data20 == "number") && (!(data20 % 1) && !isNaN(data20))) && (isFinite(data20)))){
return false;
}
if(errors === _errs41){
if((typeof data20 == "number") && (isFinite(data20))){
if(data20 > 10 || isNaN(data20)){
return false;
}
else {
if(data20 < 1 || isNaN(data20)){
return false;
}
}
}
}
var valid6 = _errs41 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
}
else {
return false;
}
}
var valid5 = _errs33 === errors;
if(!valid5){
break;
}
}
}
}
else {
return false;
}
}
var valid0 = _errs31 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.same !== undefined){
let data21 = data.same;
const _errs43 = errors;
if(errors === _errs43){
if(Array.isArray(data21)){
if(data21.length > 2){
return false;
}
else {
if(data21.length < 1){
return false;
}
else {
var valid8 = true;
const len5 = data21.length;
for(let i5=0; i5<len5; i5++){
const _errs45 = errors;
if(typeof data21[i5] !== "string"){
return false;
}
var valid8 = _errs45 === errors;
if(!valid8){
break;
}
}
}
}
}
else {
return false;
}
}
var valid0 = _errs43 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.distinct !== undefined){
const _errs47 = errors;
if(typeof data.distinct !== "string"){
return false;
}
var valid0 = _errs47 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.by !== undefined){
const _errs49 = errors;
if(typeof data.by !== "string"){
return false;
}
var valid0 = _errs49 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.size !== undefined){
let data25 = data.size;
const _errs51 = errors;
if(!(((typeof data25 == "number") && (!(data25 % 1) && !isNaN(data25))) && (isFinite(data25)))){
return false;
}
if(errors === _errs51){
if((typeof data25 == "number") && (isFinite(data25))){
if(data25 > 1000 || isNaN(data25)){
return false;
}
else {
if(data25 < 1 || isNaN(data25)){
return false;
}
}
}
}
var valid0 = _errs51 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.percentiles !== undefined){
let data26 = data.percentiles;
const _errs53 = errors;
if(errors === _errs53){
if(Array.isArray(data26)){
if(data26.length > 10){
return false;
}
else {
var valid9 = true;
const len6 = data26.length;
for(let i6=0; i6<len6; i6++){
const _errs55 = errors;
if(typeof data26[i6] !== "string"){
return false;
}
var valid9 = _errs55 === errors;
if(!valid9){
break;
}
}
}
}
else {
return false;
}
}
var valid0 = _errs53 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}

export const isRetentionBody = validate27;
const schema19 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"steps":{"minItems":2,"maxItems":2,"type":"array","items":{"type":"object","properties":{"event":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}}},"additionalProperties":false}},"unit":{"type":"string","enum":["day","week","month"]},"periods":{"type":"integer","minimum":1,"maximum":100},"periodsFrom":{"type":"string","enum":["calendar","start"]},"distinct":{"type":"string"}},"required":["steps","unit"],"additionalProperties":false};

function validate27(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.steps === undefined) && (missing0 = "steps")) || ((data.unit === undefined) && (missing0 = "unit"))){
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema19.properties, key0))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.steps !== undefined){
let data8 = data.steps;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data8)){
if(data8.length > 2){
return false;
}
else {
if(data8.length < 2){
return false;
}
else {
var valid2 = true;
const len1 = data8.length;
for(let i1=0; i1<len1; i1++){
let data9 = data8[i1];
const _errs19 = errors;
if(errors === _errs19){
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
const _errs21 = errors;
for(const key1 in data9){
if(!((key1 === "event") || (key1 === "filterSet"))){
return false;
break;
}
}
if(_errs21 === errors){
if(data9.event !== undefined){
const _errs22 = errors;
if(typeof data9.event !== "string"){
return false;
}
var valid3 = _errs22 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data9.filterSet !== undefined){
let data11 = data9.filterSet;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data11)){
var valid4 = true;
const len2 = data11.length;
for(let i2=0; i2<len2; i2++){
const _errs26 = errors;
if(!(validate11(data11[i2]))){
errors++;
}
var valid4 = _errs26 === errors;
if(!valid4){
break;
}
}
}
else {
return false;
}
}
var valid3 = _errs24 === errors;
}
else {
var valid3 = true;
}
}
}
}
else {
return false;
}
}
var valid2 = _errs19 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.unit !== undefined){
let data13 = data.unit;
const _errs27 = errors;
if(typeof data13 !== "string"){
return false;
}
if(!(((data13 === "day") || (data13 === "week")) || (data13 === "month"))){
return false;
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.periods !== undefined){
let data14 = data.periods;
const _errs29 = errors;
if(!(((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14))) && (isFinite(data14)))){
return false;
}
if(errors === _errs29){
if((typeof data14 == "number") && (isFinite(data14))){
if(data14 > 100 || isNaN(data14)){
return false;
}
else {
if(data14 < 1 || isNaN(data14)){
return false;
}
}
}
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.periodsFrom !== undefined){
let data15 = data.periodsFrom;
const _errs31 = errors;
if(typeof data15 !== "string"){
return false;
}
if(!((data15 === "calendar") || (data15 === "start"))){
return false;
}
var valid0 = _errs31 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.distinct !== undefined){
const _errs33 = errors;
if(typeof data.distinct !== "string"){
return false;
}
var valid0 = _errs33 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}

export const isUsersBody = validate30;
const schema20 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"distinct":{"type":"string"},"having":{"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"atLeast":{"type":"integer","minimum":0,"maximum":9007199254740991},"atMost":{"type":"integer","minimum":0,"maximum":9007199254740991}},"additionalProperties":false}},"sequence":{"type":"object","properties":{"steps":{"minItems":1,"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}}},"additionalProperties":false}},"within":{"type":"string"},"order":{"type":"string","const":"strict"},"without":{"maxItems":10,"type":"array","items":{"type":"object","properties":{"event":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"after":{"type":"integer","minimum":1,"maximum":10}},"required":["after"],"additionalProperties":false}},"same":{"minItems":1,"maxItems":2,"type":"array","items":{"type":"string"}},"reached":{"type":"integer","minimum":1,"maximum":10},"stopped":{"type":"integer","minimum":1,"maximum":10}},"required":["steps"],"additionalProperties":false},"pagination":{"type":"object","properties":{"size":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":"string"}},"additionalProperties":false}},"additionalProperties":false};

function validate30(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema20.properties, key0))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.distinct !== undefined){
const _errs17 = errors;
if(typeof data.distinct !== "string"){
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.having !== undefined){
let data9 = data.having;
const _errs19 = errors;
if(errors === _errs19){
if(Array.isArray(data9)){
if(data9.length > 10){
return false;
}
else {
var valid2 = true;
const len1 = data9.length;
for(let i1=0; i1<len1; i1++){
let data10 = data9[i1];
const _errs21 = errors;
if(errors === _errs21){
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
const _errs23 = errors;
for(const key1 in data10){
if(!((((key1 === "event") || (key1 === "filterSet")) || (key1 === "atLeast")) || (key1 === "atMost"))){
return false;
break;
}
}
if(_errs23 === errors){
if(data10.event !== undefined){
const _errs24 = errors;
if(typeof data10.event !== "string"){
return false;
}
var valid3 = _errs24 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data10.filterSet !== undefined){
let data12 = data10.filterSet;
const _errs26 = errors;
if(errors === _errs26){
if(Array.isArray(data12)){
var valid4 = true;
const len2 = data12.length;
for(let i2=0; i2<len2; i2++){
const _errs28 = errors;
if(!(validate11(data12[i2]))){
errors++;
}
var valid4 = _errs28 === errors;
if(!valid4){
break;
}
}
}
else {
return false;
}
}
var valid3 = _errs26 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data10.atLeast !== undefined){
let data14 = data10.atLeast;
const _errs29 = errors;
if(!(((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14))) && (isFinite(data14)))){
return false;
}
if(errors === _errs29){
if((typeof data14 == "number") && (isFinite(data14))){
if(data14 > 9007199254740991 || isNaN(data14)){
return false;
}
else {
if(data14 < 0 || isNaN(data14)){
return false;
}
}
}
}
var valid3 = _errs29 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data10.atMost !== undefined){
let data15 = data10.atMost;
const _errs31 = errors;
if(!(((typeof data15 == "number") && (!(data15 % 1) && !isNaN(data15))) && (isFinite(data15)))){
return false;
}
if(errors === _errs31){
if((typeof data15 == "number") && (isFinite(data15))){
if(data15 > 9007199254740991 || isNaN(data15)){
return false;
}
else {
if(data15 < 0 || isNaN(data15)){
return false;
}
}
}
}
var valid3 = _errs31 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
}
else {
return false;
}
}
var valid2 = _errs21 === errors;
if(!valid2){
break;
}
}
}
}
else {
return false;
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.sequence !== undefined){
let data16 = data.sequence;
const _errs33 = errors;
if(errors === _errs33){
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
let missing0;
if((data16.steps === undefined) && (missing0 = "steps")){
return false;
}
else {
const _errs35 = errors;
for(const key2 in data16){
if(!(((((((key2 === "steps") || (key2 === "within")) || (key2 === "order")) || (key2 === "without")) || (key2 === "same")) || (key2 === "reached")) || (key2 === "stopped"))){
return false;
break;
}
}
if(_errs35 === errors){
if(data16.steps !== undefined){
let data17 = data16.steps;
const _errs36 = errors;
if(errors === _errs36){
if(Array.isArray(data17)){
if(data17.length > 10){
return false;
}
else {
if(data17.length < 1){
return false;
}
else {
var valid6 = true;
const len3 = data17.length;
for(let i3=0; i3<len3; i3++){
let data18 = data17[i3];
const _errs38 = errors;
if(errors === _errs38){
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
const _errs40 = errors;
for(const key3 in data18){
if(!((key3 === "event") || (key3 === "filterSet"))){
return false;
break;
}
}
if(_errs40 === errors){
if(data18.event !== undefined){
const _errs41 = errors;
if(typeof data18.event !== "string"){
return false;
}
var valid7 = _errs41 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data18.filterSet !== undefined){
let data20 = data18.filterSet;
const _errs43 = errors;
if(errors === _errs43){
if(Array.isArray(data20)){
var valid8 = true;
const len4 = data20.length;
for(let i4=0; i4<len4; i4++){
const _errs45 = errors;
if(!(validate11(data20[i4]))){
errors++;
}
var valid8 = _errs45 === errors;
if(!valid8){
break;
}
}
}
else {
return false;
}
}
var valid7 = _errs43 === errors;
}
else {
var valid7 = true;
}
}
}
}
else {
return false;
}
}
var valid6 = _errs38 === errors;
if(!valid6){
break;
}
}
}
}
}
else {
return false;
}
}
var valid5 = _errs36 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data16.within !== undefined){
const _errs46 = errors;
if(typeof data16.within !== "string"){
return false;
}
var valid5 = _errs46 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data16.order !== undefined){
let data23 = data16.order;
const _errs48 = errors;
if(typeof data23 !== "string"){
return false;
}
if("strict" !== data23){
return false;
}
var valid5 = _errs48 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data16.without !== undefined){
let data24 = data16.without;
const _errs50 = errors;
if(errors === _errs50){
if(Array.isArray(data24)){
if(data24.length > 10){
return false;
}
else {
var valid9 = true;
const len5 = data24.length;
for(let i5=0; i5<len5; i5++){
let data25 = data24[i5];
const _errs52 = errors;
if(errors === _errs52){
if(data25 && typeof data25 == "object" && !Array.isArray(data25)){
let missing1;
if((data25.after === undefined) && (missing1 = "after")){
return false;
}
else {
const _errs54 = errors;
for(const key4 in data25){
if(!(((key4 === "event") || (key4 === "filterSet")) || (key4 === "after"))){
return false;
break;
}
}
if(_errs54 === errors){
if(data25.event !== undefined){
const _errs55 = errors;
if(typeof data25.event !== "string"){
return false;
}
var valid10 = _errs55 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data25.filterSet !== undefined){
let data27 = data25.filterSet;
const _errs57 = errors;
if(errors === _errs57){
if(Array.isArray(data27)){
var valid11 = true;
const len6 = data27.length;
for(let i6=0; i6<len6; i6++){
const _errs59 = errors;
if(!(validate11(data27[i6]))){
errors++;
}
var valid11 = _errs59 === errors;
if(!valid11){
break;
}
}
}
else {
return false;
}
}
var valid10 = _errs57 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data25.after !== undefined){
let data29 = data25.after;
const _errs60 = errors;
if(!(((typeof data29 == "number") && (!(data29 % 1) && !isNaN(data29))) && (isFinite(data29)))){
return false;
}
if(errors === _errs60){
if((typeof data29 == "number") && (isFinite(data29))){
if(data29 > 10 || isNaN(data29)){
return false;
}
else {
if(data29 < 1 || isNaN(data29)){
return false;
}
}
}
}
var valid10 = _errs60 === errors;
}
else {
var valid10 = true;
}
}
}
}
}
}
else {
return false;
}
}
var valid9 = _errs52 === errors;
if(!valid9){
break;
}
}
}
}
else {
return false;
}
}
var valid5 = _errs50 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data16.same !== undefined){
let data30 = data16.same;
const _errs62 = errors;
if(errors === _errs62){
if(Array.isArray(data30)){
if(data30.length > 2){
return false;
}
else {
if(data30.length < 1){
return false;
}
else {
var valid12 = true;
const len7 = data30.length;
for(let i7=0; i7<len7; i7++){
const _errs64 = errors;
if(typeof data30[i7] !== "string"){
return false;
}
var valid12 = _errs64 === errors;
if(!valid12){
break;
}
}
}
}
}
else {
return false;
}
}
var valid5 = _errs62 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data16.reached !== undefined){
let data32 = data16.reached;
const _errs66 = errors;
if(!(((typeof data32 == "number") && (!(data32 % 1) && !isNaN(data32))) && (isFinite(data32)))){
return false;
}
if(errors === _errs66){
if((typeof data32 == "number") && (isFinite(data32))){
if(data32 > 10 || isNaN(data32)){
return false;
}
else {
if(data32 < 1 || isNaN(data32)){
return false;
}
}
}
}
var valid5 = _errs66 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data16.stopped !== undefined){
let data33 = data16.stopped;
const _errs68 = errors;
if(!(((typeof data33 == "number") && (!(data33 % 1) && !isNaN(data33))) && (isFinite(data33)))){
return false;
}
if(errors === _errs68){
if((typeof data33 == "number") && (isFinite(data33))){
if(data33 > 10 || isNaN(data33)){
return false;
}
else {
if(data33 < 1 || isNaN(data33)){
return false;
}
}
}
}
var valid5 = _errs68 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
var valid0 = _errs33 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
let data34 = data.pagination;
const _errs70 = errors;
if(errors === _errs70){
if(data34 && typeof data34 == "object" && !Array.isArray(data34)){
const _errs72 = errors;
for(const key5 in data34){
if(!((key5 === "size") || (key5 === "cursor"))){
return false;
break;
}
}
if(_errs72 === errors){
if(data34.size !== undefined){
let data35 = data34.size;
const _errs73 = errors;
if(!(((typeof data35 == "number") && (!(data35 % 1) && !isNaN(data35))) && (isFinite(data35)))){
return false;
}
if(errors === _errs73){
if((typeof data35 == "number") && (isFinite(data35))){
if(data35 > 1000 || isNaN(data35)){
return false;
}
else {
if(data35 < 1 || isNaN(data35)){
return false;
}
}
}
}
var valid13 = _errs73 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data34.cursor !== undefined){
const _errs75 = errors;
if(typeof data34.cursor !== "string"){
return false;
}
var valid13 = _errs75 === errors;
}
else {
var valid13 = true;
}
}
}
}
else {
return false;
}
}
var valid0 = _errs70 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}

export const isCompareBody = validate35;
const schema21 = {"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"timeZone":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}},"selected":{"type":"object","properties":{"event":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"from":{"type":"string"},"until":{"type":"string"},"filterSet":{"type":"array","items":{"$ref":"#/components/schemas/FilterEntry"}}},"additionalProperties":false},"paths":{"minItems":1,"maxItems":50,"type":"array","items":{"type":"string"}},"size":{"type":"integer","minimum":1,"maximum":100}},"required":["selected"],"additionalProperties":false};

function validate35(data){
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.selected === undefined) && (missing0 = "selected")){
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema21.properties, key0))){
return false;
break;
}
}
if(_errs1 === errors){
if(data.event !== undefined){
const _errs2 = errors;
if(typeof data.event !== "string"){
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.after !== undefined){
const _errs4 = errors;
if(typeof data.after !== "string"){
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.before !== undefined){
const _errs6 = errors;
if(typeof data.before !== "string"){
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
const _errs8 = errors;
if(typeof data.from !== "string"){
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
const _errs10 = errors;
if(typeof data.until !== "string"){
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeZone !== undefined){
const _errs12 = errors;
if(typeof data.timeZone !== "string"){
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filterSet !== undefined){
let data6 = data.filterSet;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid1 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs16 = errors;
if(!(validate11(data6[i0]))){
errors++;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.selected !== undefined){
let data8 = data.selected;
const _errs17 = errors;
if(errors === _errs17){
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
const _errs19 = errors;
for(const key1 in data8){
if(!((((((key1 === "event") || (key1 === "after")) || (key1 === "before")) || (key1 === "from")) || (key1 === "until")) || (key1 === "filterSet"))){
return false;
break;
}
}
if(_errs19 === errors){
if(data8.event !== undefined){
const _errs20 = errors;
if(typeof data8.event !== "string"){
return false;
}
var valid2 = _errs20 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data8.after !== undefined){
const _errs22 = errors;
if(typeof data8.after !== "string"){
return false;
}
var valid2 = _errs22 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data8.before !== undefined){
const _errs24 = errors;
if(typeof data8.before !== "string"){
return false;
}
var valid2 = _errs24 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data8.from !== undefined){
const _errs26 = errors;
if(typeof data8.from !== "string"){
return false;
}
var valid2 = _errs26 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data8.until !== undefined){
const _errs28 = errors;
if(typeof data8.until !== "string"){
return false;
}
var valid2 = _errs28 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data8.filterSet !== undefined){
let data14 = data8.filterSet;
const _errs30 = errors;
if(errors === _errs30){
if(Array.isArray(data14)){
var valid3 = true;
const len1 = data14.length;
for(let i1=0; i1<len1; i1++){
const _errs32 = errors;
if(!(validate11(data14[i1]))){
errors++;
}
var valid3 = _errs32 === errors;
if(!valid3){
break;
}
}
}
else {
return false;
}
}
var valid2 = _errs30 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
}
else {
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.paths !== undefined){
let data16 = data.paths;
const _errs33 = errors;
if(errors === _errs33){
if(Array.isArray(data16)){
if(data16.length > 50){
return false;
}
else {
if(data16.length < 1){
return false;
}
else {
var valid4 = true;
const len2 = data16.length;
for(let i2=0; i2<len2; i2++){
const _errs35 = errors;
if(typeof data16[i2] !== "string"){
return false;
}
var valid4 = _errs35 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
return false;
}
}
var valid0 = _errs33 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.size !== undefined){
let data18 = data.size;
const _errs37 = errors;
if(!(((typeof data18 == "number") && (!(data18 % 1) && !isNaN(data18))) && (isFinite(data18)))){
return false;
}
if(errors === _errs37){
if((typeof data18 == "number") && (isFinite(data18))){
if(data18 > 100 || isNaN(data18)){
return false;
}
else {
if(data18 < 1 || isNaN(data18)){
return false;
}
}
}
}
var valid0 = _errs37 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
return false;
}
}
return errors === 0;
}
