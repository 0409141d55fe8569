import { Words } from '@/components/docs/words'
import { slugOf } from '@/lib/endpoints/docs/addresses'
import { HEADERS } from '@/lib/endpoints/docs/openapi/headers'

/** Every header, by name. */
export function HeadersReference() {
  return (
    <dl className="docs-codes docs-words mt-8">
      {Object.entries(HEADERS)
        .toSorted(([one], [other]) => one.toLowerCase().localeCompare(other.toLowerCase(), 'en'))
        .map(([name, { description, schema }]) => (
          <div key={name} id={slugOf(name)} className="scroll-mt-6">
            <dt>
              <code>{name}</code>
              <span className="text-13 text-ink-3">{String(schema.type ?? JSON.stringify(schema.const))}</span>
            </dt>
            <dd>
              <Words text={description} />
            </dd>
          </div>
        ))}
    </dl>
  )
}
