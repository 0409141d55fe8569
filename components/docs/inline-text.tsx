import { Lexer, type MarkedToken, type Token } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { DocLink } from '@/components/docs/doc-link'
import { decodeEntities } from '@/components/markdown/entities'

export function Words({ text }: { text: string }) {
  return <WordTokens tokens={Lexer.lexInline(text)} />
}

export function WordTokens({ tokens }: { tokens: Token[] | undefined }) {
  return (tokens as MarkedToken[] | undefined)?.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a text keep their order.
    <Fragment key={at}>{drawn(token)}</Fragment>
  ))
}

function drawn(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? <WordTokens tokens={token.tokens} /> : decodeEntities(token.text)
    case 'escape':
      return token.text
    case 'strong':
      return (
        <strong>
          <WordTokens tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <WordTokens tokens={token.tokens} />
        </em>
      )
    case 'codespan':
      return <code>{token.text}</code>
    case 'link':
      return (
        <DocLink href={token.href}>
          <WordTokens tokens={token.tokens} />
        </DocLink>
      )
    default:
      return token.raw
  }
}
