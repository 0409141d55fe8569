import type { RpcAnswer } from '@/components/rpc/client'
import { visibleText } from '@/components/rpc/response/decode/visible-text'
import { CopyButton } from '@/components/ui/copy-button'
import { msg, t } from '@/lib/i18n/t'

/** Those that the service puts there for people to read. */
const MEANINGS: Readonly<Record<string, string>> = {
  'x-service-rpc-credits': msg('credits used by the call'),
  'x-service-rpc-cost-usd': msg('cost of the call in dollars'),
  'x-request-id': msg('ID of the call in the logs'),
  'idempotent-replayed': msg('response of an earlier call'),
  'x-balance-remaining': msg('balance after the call in dollars'),
  'x-retry-count': msg('nodes that failed before'),
  'x-ratelimit-reset': msg('reset time of the rate limit, in Unix seconds'),
}

/** The headers that came with the body, as the browser lets a page see them. */
export function HeadersView({ headers }: Pick<RpcAnswer, 'headers'>) {
  if (headers.length === 0) return <p className="p-4 text-14 text-ink-2">{t('The response has no headers.')}</p>
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n')
  return (
    <div className="relative">
      <CopyButton text={text} label={t('Copy headers')} className="absolute end-2 top-2" />
      <dl className="divide-y divide-line px-4 py-2 text-13">
        {headers.map(([name, value]) => (
          <div key={name} className="grid gap-x-4 py-1.5 pe-10 sm:grid-cols-[minmax(9rem,2fr)_3fr]">
            <dt className="font-mono text-12 leading-5 text-ink-2 wrap-anywhere">{name}</dt>
            <dd className="min-w-0">
              <span dir="ltr" className="font-mono text-12 leading-5 wrap-anywhere">
                {visibleText(value)}
              </span>
              {MEANINGS[name] && <span className="block text-12 text-ink-3">{t(MEANINGS[name])}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
