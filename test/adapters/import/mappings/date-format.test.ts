import { describe, expect, it } from 'vitest';
import { OPTION_WORDS } from '../../../../adapters/import/base/options.ts';
import { compileDateFormat } from '../../../../adapters/import/mappings/date-format.ts';

describe('a format of dates', () => {
  it.each([
    ['DD.MM.YYYY', '3.5.2024', '2024-05-03T00:00:00'],
    ['DD.MM.YYYY HH:mm', '03.05.2024   09:05', '2024-05-03T09:05:00'],
    ['DD.MM.YYYY[ HH:mm[:ss]]', '03.05.2024', '2024-05-03T00:00:00'],
    ['DD.MM.YYYY[ HH:mm[:ss]]', '03.05.2024 9:05', '2024-05-03T09:05:00'],
    ['DD.MM.YYYY[ HH:mm[:ss]]', '03.05.2024 9:05:07', '2024-05-03T09:05:07'],
    ['DD.MM.YYYY [ HH:mm]', '03.05.2024 9:05', '2024-05-03T09:05:00'],
    ['YYYYMMDD[HHmm]', '202405030905', '2024-05-03T09:05:00'],
    ['YYYYMMDDHHmmssSSS', '20240503090507123', '2024-05-03T09:05:07.123'],
    ['D. MMM YYYY', '3. Sept. 2024', '2024-09-03T00:00:00'],
    ['D. MMM. YYYY', '3. Sep. 2024', '2024-09-03T00:00:00'],
    ['MMM D, YYYY h:mm A', 'May 3, 2024 12:05 a.m.', '2024-05-03T00:05:00'],
    ['YYYY年M月D日', '2024年5月3日', '2024-05-03T00:00:00'],
    ['YYYY/MM/DDTHH:mmZ', '2024/05/03T09:05+0200', '2024-05-03T09:05:00+02:00'],
  ])('%s reads %s', (format, text, expected) => {
    const { date, time, offset = '' } = compileDateFormat(format, OPTION_WORDS)(text)!;
    expect(`${date}T${time}${offset}`).toBe(expected);
  });

  it.each([
    ['DD.MM.YYYY', '03.05.2024 '],
    ['DD.MM.YYYY', '03.05'],
    ['DD.MM.YYYY', '03/05/2024'],
    ['DD.MM.YYYY', 'x3.05.2024'],
    ['DD.MM.YYYY HH:mm', '03.05.202409:05'],
    ['YYYYMMDD', '2024053'],
    ['D MMM YYYY', '3 Foo 2024'],
    ['D.M.YYYY h:mm A', '3.5.2024 13:00 PM'],
  ])('%s does not read %s', (format, text) => {
    expect(compileDateFormat(format, OPTION_WORDS)(text)).toBeUndefined();
  });

  it.each([
    ['YYYY', 'needs a year, a month and a day'],
    ['YYYY-MM-DD hh', 'that needs A'],
    ['YYYY-MM-DD[ HH', 'has a bracket without another'],
    ['YYYY-MM-DD]', 'has a bracket without another'],
    [']YYYY-MM-DD[', 'has a bracket without another'],
    ['YYYY-MM-DD HH HH', 'says the hour twice'],
    ['YYYY-MM-DD constructor', 'does not know constructor'],
    [`YYYY-MM-DD${'[.]'.repeat(6)}`, 'has more than 5 pairs of brackets'],
  ])('%s is refused', (format, why) => {
    expect(() => compileDateFormat(format, OPTION_WORDS)).toThrow(why);
  });
});
