import type { ComponentProps } from 'preact';
import { useMemo } from 'preact/hooks';
import { FILTER_FIELDS, toPath } from '../../address/paths.ts';
import { seen } from '../../address/written.ts';
import { Combobox } from '../../parts/combobox.tsx';
import type { SeenPaths } from './seen-paths.ts';

interface PathFieldProps extends Omit<ComponentProps<typeof Combobox>, 'options' | 'optionWords'> {
  readonly seenPaths: SeenPaths;
}

/** What a list of paths says while they are not known. */
const READING = 'Reading properties…';

/** A field for a path. It offers the paths that events have, and takes any other one too. */
export function PathField({ seenPaths, ...field }: PathFieldProps) {
  const { properties, isReading } = seenPaths;
  const options = useMemo(
    () => [
      ...FILTER_FIELDS.map((value) => ({ value })),
      ...properties.map(({ path, types }) => ({
        value: path,
        text: seen(path),
        note: Object.keys(types).join(', '),
      })),
    ],
    [properties],
  );
  return (
    <Combobox
      meaningOf={toPath}
      {...field}
      options={options}
      optionWords="paths"
      pending={isReading ? READING : undefined}
    />
  );
}
