'use client'

import { ChevronRight } from 'lucide-react'
import type { MethodDoc } from '@/components/rpc/methods/types'
import { typeName } from '@/components/rpc/type-name'
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
