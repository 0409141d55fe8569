import { Lexer, type MarkedToken, type Token } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { DocLink } from '@/components/docs/doc-link'
import { decodeEntities } from '@/components/markdown/entities'

export function InlineText({ text }: { text: string }) {
  return <InlineTokens tokens={Lexer.lexInline(text)} />
}

export function InlineTokens({ tokens }: { tokens: Token[] | undefined }) {
  return (tokens as MarkedToken[] | undefined)?.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a text keep their order.
    <Fragment key={at}>{drawn(token)}</Fragment>
  ))
}

function drawn(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? <InlineTokens tokens={token.tokens} /> : decodeEntities(token.text)
    case 'escape':
      return token.text
    case 'strong':
      return (
        <strong>
          <InlineTokens tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <InlineTokens tokens={token.tokens} />
        </em>
      )
    case 'codespan':
      return <code>{token.text}</code>
    case 'link':
      return (
        <DocLink href={token.href}>
          <InlineTokens tokens={token.tokens} />
        </DocLink>
      )
    default:
      return token.raw
  }
}
