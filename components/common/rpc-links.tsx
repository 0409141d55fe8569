'use client'

import { Slot } from '@/components/common/slots'

// What an answer has of the playground: two looks at a text, and the rest is fetched where there is something to open.

const ADDRESS_LIKE = /0x[\da-f]{40}/i
const CALL_LIKE = /"method"\s*:\s*"[a-z]/i

export function OpenFoundInRpc({ text }: { text: string }) {
  return ADDRESS_LIKE.test(text) ? <Slot part="OpenFound" text={text} /> : null
}

export function OpenSnippetInRpc({ code }: { code: string }) {
  return CALL_LIKE.test(code) ? <Slot part="OpenSnippet" code={code} /> : null
}
