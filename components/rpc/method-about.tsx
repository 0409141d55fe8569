'use client'

import { ChevronRight } from 'lucide-react'
import type { MethodDoc, Type } from '@/components/rpc/methods/types'
import { t } from '@/lib/i18n/t'

/** What a method does in a line; what it takes and gives, when opened. */
export function MethodAbout({ doc }: { doc: MethodDoc }) {
  return (
    <details className="group/about min-w-0 flex-1 text-14">
      <summary className="-mx-2 flex list-none items-start gap-1.5 rounded-control px-2 py-1.5 text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:py-3 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="mt-0.5 size-4 shrink-0 text-ink-3 transition-transform group-open/about:rotate-90 rtl:-scale-x-100 rtl:group-open/about:-rotate-90"
          strokeWidth={1.5}
        />
        <span className="min-w-0 wrap-anywhere">{t(doc.summary)}</span>
      </summary>
      <div className="space-y-3 ps-5.5 pt-1 pb-2 text-13 text-ink-2">
        {doc.description && (
          <p lang="en" dir="ltr" className="max-w-140 whitespace-pre-line rtl:text-end">
            {doc.description}
          </p>
        )}
        <div>
          <h3 className="font-medium text-ink">{t('Parameters')}</h3>
          {doc.params.length === 0 ? (
            <p className="mt-1 text-ink-3">{t('None.')}</p>
          ) : (
            <dl className="mt-1 space-y-1.5">
              {doc.params.map((param) => (
                <div key={param.name}>
                  <dt className="inline">
                    <span dir="ltr" className="font-mono text-12 text-ink">
                      {param.name}
                    </span>{' '}
                    <span className="text-12 text-ink-3">
                      <span lang="en" dir="ltr">
                        {typeName(param.type)}
                      </span>
                      {!param.isRequired && t(', optional')}
                    </span>
                  </dt>
                  {param.help && (
                    <dd lang="en" dir="ltr" className="rtl:text-end">
                      {param.help}
                    </dd>
                  )}
                </div>
              ))}
            </dl>
          )}
        </div>
        <div>
          <h3 className="font-medium text-ink">{t('Result')}</h3>
          <p lang="en" dir="ltr" className="mt-1 rtl:text-end">
            {doc.result.text} <span className="text-12 text-ink-3">{typeName(doc.result.type)}</span>
          </p>
        </div>
      </div>
    </details>
  )
}

/** Types inside types are named this deep. */
const MAX_DEPTH = 2

/** What a type is called, short. @example typeName({ kind: 'list', of: { kind: 'hash' }, item: 'topic' }) // "list of 32-byte hash" */
function typeName(type: Type, depth = 0): string {
  switch (type.kind) {
    case 'hash':
      return '32-byte hash'
    case 'data':
      return type.bytes === undefined ? 'hex data' : `${type.bytes} bytes of hex`
    case 'quantity':
      return type.unit === 'wei' ? 'hex quantity, in wei' : 'hex quantity'
    case 'number':
      return type.isWhole ? 'whole number' : 'number'
    case 'choice':
      return type.options.length <= 4
        ? type.options.map(({ value }) => JSON.stringify(value)).join(' or ')
        : `one of ${type.options.length} values`
    case 'block':
      return type.takesHash ? 'block number, tag or hash' : 'block number or tag'
    case 'blockId':
      return 'block number, hash or tag'
    case 'felt':
      return type.is === undefined ? 'field element' : `field element: ${type.is}`
    case 'list':
      return depth < MAX_DEPTH ? `list of ${typeName(type.of, depth + 1)}` : 'list'
    case 'union':
      return depth < MAX_DEPTH
        ? [...new Set(type.variants.map((variant) => typeName(variant.type, depth + 1)))].join(' or ')
        : 'one of several'
    case 'tuple':
      return 'list'
    case 'map':
      return 'object'
    case 'any':
      return 'any JSON'
    default:
      return type.kind
  }
}
