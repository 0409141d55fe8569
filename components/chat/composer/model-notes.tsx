import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import Link from 'next/link'
import { useEffect, useRef } from 'react'
import { formatSize } from '@/lib/browser/format/numbers'
import { operatorQuery, refreshModelLists } from '@/lib/browser/operator'
import { sessionQuery } from '@/lib/browser/queries'
import { askService } from '@/lib/browser/session'
import type { ModelPreparation } from '@/lib/contract/session'
import { formatNumber, t } from '@/lib/i18n/t'

const REFRESH_MS = 1_500

export const preparationQuery = () =>
  queryOptions({
    queryKey: ['model-preparation'],
    queryFn: async ({ signal }): Promise<ModelPreparation | null> => (await askService(signal)).preparation,
    refetchInterval: ({ state }) => (state.data ? REFRESH_MS : false),
  })

/** Says under the composer that the model is a demo, and how far a better one is that is being prepared. */
export function DemoNote() {
  const client = useQueryClient()
  const session = useQuery(sessionQuery())
  const preparation = useQuery(preparationQuery()).data
  const wasPreparing = useRef(false)
  useEffect(() => {
    if (wasPreparing.current && preparation === null) void refreshModelLists(client)
    wasPreparing.current = preparation != null
  }, [client, preparation])
  if (preparation) return preparationText(preparation)
  return session.data?.sandbox ? t('Demo model on this server · free test credit') : t('Demo model on this server')
}

function preparationText({ model, step, fraction, bytes, totalBytes }: ModelPreparation): string {
  if (step === 'loading') return t('Loading {model}…', { model })
  if (step === 'verifying') return t('Verifying {model}…', { model })
  if (step === 'preparing') return t('Preparing {model}…', { model })
  if (bytes === undefined || totalBytes === undefined) {
    return t('Downloading {model}: {percent}', { model, percent: formatNumber(fraction, { style: 'percent' }) })
  }
  return t('Downloading {model}: {done} of {total}', { model, done: formatSize(bytes), total: formatSize(totalBytes) })
}

/** Says under the composer why nothing can be sent, and leads the operator to where that is changed. */
export function NoModelNote() {
  const operator = useQuery(operatorQuery())
  return (
    <>
      {t('No model is connected.')}{' '}
      {operator.data?.isOperator && (
        <Link href="/admin" className="text-accent underline">
          {t('Connect provider')}
        </Link>
      )}
    </>
  )
}
