'use client'

import dynamic from 'next/dynamic'
import { useEffect, useState } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import type { Comparison } from '@/components/rpc/response/decode/jobs'
import { ResponseWorker } from '@/components/rpc/response/decode/response-worker'
import { t } from '@/lib/i18n/t'

const DiffEditor = dynamic(() => import('@/components/rpc/response/diff-editor').then((module) => module.DiffEditor), {
  ssr: false,
  loading: () => <div aria-hidden="true" className="skeleton m-4 h-24" />,
})

const MAX_COMPARED_CHARS = 20 * 1024 * 1024

type ResponseDiffProps = { a: RpcAnswer; b: RpcAnswer; labelA?: string; labelB?: string }

export function ResponseDiff({ a, b, labelA, labelB }: ResponseDiffProps) {
  const [compared, setCompared] = useState<{ of: [RpcAnswer, RpcAnswer]; result: Comparison | 'failed' } | undefined>()
  const isTooLarge = a.text.length + b.text.length > MAX_COMPARED_CHARS
  useEffect(() => {
    if (isTooLarge) return
    const worker = new ResponseWorker()
    const left = new AbortController()
    const show = (result: Comparison | 'failed') => !left.signal.aborted && setCompared({ of: [a, b], result })
    worker.compare(a.text, b.text, { signal: left.signal }).then(show, () => show('failed'))
    return () => {
      left.abort()
      worker.close()
    }
  }, [a, b, isTooLarge])
  if (isTooLarge) return <Note text={t('These responses are too large to compare here. Download both.')} />
  const result = compared?.of[0] === a && compared.of[1] === b ? compared.result : undefined
  if (!result) return <div aria-hidden="true" className="skeleton m-4 h-24" />
  if (result === 'failed') return <Note text={t('Couldn’t compare these responses.')} />
  if (result.isSame) return <Note text={t('The responses are identical.')} />
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {result.isCut && (
        <p className="border-b border-line bg-sunken px-4 py-1.5 text-12 text-ink-3">
          {t('Too many differences. Only the first are shown.')}
        </p>
      )}
      <DiffEditor comparison={result} labelA={labelA ?? t('First response')} labelB={labelB ?? t('Second response')} />
    </div>
  )
}

const Note = ({ text }: { text: string }) => <p className="p-4 text-14 text-ink-2">{text}</p>
