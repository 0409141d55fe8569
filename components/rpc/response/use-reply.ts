import { useEffect, useMemo, useState } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import type { Opening } from '@/components/rpc/response/decode/jobs'
import type { Reply } from '@/components/rpc/response/decode/reply'
import { ResponseWorker } from '@/components/rpc/response/decode/response-worker'

/** Laid out, a longer body would be hundreds of megabytes. */
const MAX_SHOWN_CHARS = 20 * 1024 * 1024

export type OpenedAnswer = { answer: RpcAnswer; opening: Opening; worker: ResponseWorker }

export type OpenedReply = {
  opened?: OpenedAnswer
  reply?: Reply
  /** The last scanned answer: this one, or while it is scanned the one before. */
  known?: OpenedAnswer & { reply: Reply }
  isTooLarge: boolean
  hasFailed: boolean
}

export function useReply(answer: RpcAnswer | undefined): OpenedReply {
  // It does nothing until it is asked.
  const [worker] = useState(() => new ResponseWorker())
  const [known, setKnown] = useState<(OpenedAnswer & { reply: Reply }) | undefined>(undefined)
  const [failed, setFailed] = useState<RpcAnswer | undefined>(undefined)
  const opened = useMemo(() => (answer && !isTooLarge(answer) ? openedOf(answer, worker) : undefined), [answer, worker])
  useEffect(() => {
    worker.warm()
    return () => worker.close()
  }, [worker])
  useEffect(() => {
    if (!opened) return
    const left = new AbortController()
    worker.ask<'scan'>(opened.opening, { kind: 'scan' }, { signal: left.signal }).then(
      (reply) => setKnown({ ...opened, reply }),
      () => !left.signal.aborted && setFailed(opened.answer),
    )
    return () => left.abort()
  }, [opened, worker])
  return {
    ...(opened && { opened }),
    ...(known && opened && { known }),
    ...(known && known.answer === answer && { reply: known.reply }),
    isTooLarge: answer !== undefined && !opened,
    hasFailed: failed !== undefined && failed === answer,
  }
}

function openedOf(answer: RpcAnswer, worker: ResponseWorker): OpenedAnswer {
  const calls = answer.calls.map(({ method, params }) => ({ method, params }))
  return { answer, worker, opening: { text: answer.text, asked: { network: answer.network, calls } } }
}

const isTooLarge = ({ text }: RpcAnswer) => text.length > MAX_SHOWN_CHARS
