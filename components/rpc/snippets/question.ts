import { bodyOf, type RpcAnswer } from '@/components/rpc/client'
import { isMethodName } from '@/components/rpc/link'
import { fullName } from '@/components/rpc/overview'
import { networkOf } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

/** Of the room, what the request may take at most. */
const REQUEST_SHARE = 0.25

/** A question about a response, in a line: the response itself goes along as a file. */
export function questionAbout(answer: RpcAnswer): string {
  const network = networkName(answer)
  const call = callOf(answer)
  return call === undefined
    ? t('Explain this batch response from {network}.', { network })
    : t('Explain this {call} response from {network}.', { call, network })
}

/** A request and its response as one JSON file; where it is longer than a model can take, the beginnings of both. */
export function fileAbout(answer: RpcAnswer, roomChars: number): File {
  const { calls, isBatch, text, status } = answer
  const request = fitting(JSON.stringify(bodyOf(calls, isBatch)), Math.floor(roomChars * REQUEST_SHARE))
  const response = fitting(text, roomChars - request.length)
  const network = JSON.stringify(networkName(answer))
  // Put together as text: numbers of a chain are larger than those that JSON.parse keeps exact.
  const json = `{\n"network": ${network},\n"request": ${request},\n"httpStatus": ${status},\n"response": ${response}\n}\n`
  return new File([json], `${callOf(answer) ?? 'batch'}-${answer.network}.json`, { type: 'application/json' })
}

const networkName = ({ network: slug }: RpcAnswer): string => {
  const network = networkOf(slug)
  return network ? fullName(network) : slug
}

/** Nothing for a batch, or a name that is none. */
function callOf({ calls: [call], isBatch }: RpcAnswer): string | undefined {
  return isBatch || !call || !isMethodName(call.method) ? undefined : call.method
}

/** JSON as it is; what is none, or too long, as a string. */
function fitting(text: string, chars: number): string {
  if (text.length > chars) {
    // Half of a character of two would be no character.
    const kept = text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')
    const number = (value: number) => value.toLocaleString('en-US')
    return JSON.stringify(`${kept}… (the first ${number(kept.length)} of ${number(text.length)} characters)`)
  }
  try {
    JSON.parse(text)
    return text
  } catch {
    return JSON.stringify(text)
  }
}
