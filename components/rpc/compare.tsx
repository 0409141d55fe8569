'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { ArrowLeft } from 'lucide-react'
import dynamic from 'next/dynamic'
import { Dialog } from 'radix-ui'
import { useEffect, useState } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import { networkName } from '@/components/rpc/networks'
import { Mono, Note } from '@/components/rpc/notices'
import type { Comparison } from '@/components/rpc/response/decode/jobs'
import { ResponseWorker } from '@/components/rpc/response/response-worker'
import { listRuns, openRun, type RpcRun } from '@/components/rpc/store'
import { IconButton } from '@/components/ui/button'
import { CloseButton, Modal } from '@/components/ui/modal'
import { formatDate, t } from '@/lib/i18n/t'

const DiffEditor = dynamic(() => import('@/components/rpc/response/diff-editor').then((module) => module.DiffEditor), {
  ssr: false,
  loading: () => <div aria-hidden="true" className="skeleton m-4 h-24" />,
})

const MAX_OTHERS = 20

type CompareProps = { answer: RpcAnswer; onClose: () => void }

export function Compare({ answer, onClose }: CompareProps) {
  const [other, setOther] = useState<RpcAnswer>()
  const [isGone, setIsGone] = useState(false)
  const pick = async (run: RpcRun) => {
    const stored = await openRun(run.id)
    setOther(stored?.answer)
    setIsGone(!stored?.answer)
  }
  return (
    <Modal
      onClose={onClose}
      className="inset-x-0 bottom-0 z-40 mx-auto flex h-[92dvh] w-full flex-col rounded-t-composer border border-b-0 border-line bg-paper pb-[env(safe-area-inset-bottom)] text-14 shadow-over md:inset-y-0 md:my-auto md:h-[min(48rem,92dvh)] md:w-[min(70rem,calc(100vw-3rem))] md:rounded-composer md:border-b md:pb-0"
    >
      <div className="flex shrink-0 items-center gap-1 border-b border-line py-2 ps-4 pe-3">
        {other && (
          <IconButton label={t('Choose another response')} className="-ms-2" onClick={() => setOther(undefined)}>
            <ArrowLeft aria-hidden="true" className="rtl:-scale-x-100" />
          </IconButton>
        )}
        <Dialog.Title className="min-w-0 flex-1 truncate text-14 font-medium">
          {other ? t('Differences') : t('Choose a response to compare')}
        </Dialog.Title>
        <CloseButton />
      </div>
      {isGone && !other && (
        <p role="status" className="border-b border-line bg-sunken px-4 py-2 text-13 text-ink-2">
          {t('This response wasn’t saved: it was too large or never arrived. Choose another.')}
        </p>
      )}
      {other ? (
        <ResponseDiff a={other} b={answer} />
      ) : (
        <AnswerPicker answer={answer} onPick={(run) => void pick(run)} />
      )}
    </Modal>
  )
}

type AnswerPickerProps = { answer: RpcAnswer; onPick: (run: RpcRun) => void }

function AnswerPicker({ answer, onPick }: AnswerPickerProps) {
  const runs = useLiveQuery(() => listRuns().catch(() => []))
  if (!runs) return null
  const others = runs.filter(({ at, status }) => at !== answer.at && status !== 0)
  const isSame = ({ methods }: RpcRun) => methods.join() === answer.calls.map(({ method }) => method).join()
  const groups = [
    { name: t('Same method'), runs: others.filter(isSame) },
    { name: t('Other methods'), runs: others.filter((run) => !isSame(run)).slice(0, MAX_OTHERS) },
  ].filter((group) => group.runs.length > 0)
  if (groups.length === 0) {
    return (
      <p className="m-auto max-w-80 p-8 text-center text-ink-3">
        {t('No other responses yet. Run the call again, or on another network, then compare.')}
      </p>
    )
  }
  return (
    <div className="thin-scroll min-h-0 flex-1 overflow-y-auto px-2 pb-4">
      {groups.map((group) => (
        <section key={group.name} aria-label={group.name}>
          <h3 className="px-2 pt-4 pb-1 text-12 font-medium text-ink-3">{group.name}</h3>
          <ul>
            {group.runs.map((run) => (
              <li key={run.id}>
                <button
                  type="button"
                  onClick={() => onPick(run)}
                  className="flex w-full flex-wrap items-baseline justify-between gap-x-4 rounded-control px-2 py-2 text-start hover:bg-hover pointer-coarse:min-h-11"
                >
                  <Mono className="text-13 wrap-anywhere">{run.methods[0]}</Mono>
                  <span className="text-12 text-ink-3">
                    {networkName(run.network)} · {formatDate(run.at, { dateStyle: 'medium', timeStyle: 'medium' })}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

const labelOf = ({ network, at }: RpcAnswer): string =>
  `${networkName(network)}, ${formatDate(at, { timeStyle: 'medium' })}`

const MAX_COMPARED_CHARS = 20 * 1024 * 1024

type ResponseDiffProps = { a: RpcAnswer; b: RpcAnswer }

function ResponseDiff({ a, b }: ResponseDiffProps) {
  const [compared, setCompared] = useState<{ of: [RpcAnswer, RpcAnswer]; result: Comparison | 'failed' } | undefined>()
  const isTooLarge = a.text.length + b.text.length > MAX_COMPARED_CHARS
  useEffect(() => {
    if (isTooLarge) return
    const worker = new ResponseWorker()
    const unmounting = new AbortController()
    const show = (result: Comparison | 'failed') => !unmounting.signal.aborted && setCompared({ of: [a, b], result })
    worker.compare(a.text, b.text, { signal: unmounting.signal }).then(show, () => show('failed'))
    return () => {
      unmounting.abort()
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
      <DiffEditor comparison={result} labelA={labelOf(a)} labelB={labelOf(b)} />
    </div>
  )
}
