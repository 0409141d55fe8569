import { Fragment, type ReactNode } from 'react'
import { t } from '@/lib/i18n/t'

type SentenceProps = {
  /** `Read <guide>the guide</guide> first, {name}.`: each mark is one of `parts`, each name one of `values`. */
  text: string
  parts: Record<string, (text: string) => ReactNode>
  values?: Record<string, string | number>
}

const MARK = /<(\w+)(?:\/>|>(.*?)<\/\1>)/gs

export function Sentence({ text, parts, values }: SentenceProps) {
  const sentence = t(text, values)
  const nodes: ReactNode[] = []
  let at = 0
  for (const found of sentence.matchAll(MARK)) {
    const [whole, name = '', text = ''] = found
    nodes.push(sentence.slice(at, found.index), parts[name]?.(text) ?? text)
    at = found.index + whole.length
  }
  nodes.push(sentence.slice(at))
  return nodes.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence keep their order.
    <Fragment key={index}>{node}</Fragment>
  ))
}
