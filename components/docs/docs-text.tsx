import { Lexer, type MarkedToken, type Token } from 'marked'
import Link from 'next/link'
import { type ComponentProps, Fragment, type ReactNode } from 'react'
import { decodeEntities } from '@/components/markdown/entities'
import { t } from '@/lib/i18n/t'

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

type DocLinkProps = Omit<ComponentProps<'a'>, 'href'> & { href: string }

/** Files of the interface description are fetched whole; Next serves the rest as pages. */
const isPage = (href: string): boolean => href.startsWith('/') && !/^\/(?:doc\/|llms\.txt)/.test(href)

export function DocLink({ href, ...props }: DocLinkProps) {
  if (isPage(href)) return <Link href={href} prefetch={false} {...props} />
  if (href.startsWith('#') || href.startsWith('/')) return <a href={href} {...props} />
  return <a href={href} target="_blank" rel="noopener noreferrer" {...props} />
}

type DocHeadingProps = { level: 2 | 3; id: string; children: ReactNode }

export function DocHeading({ level, id, children }: DocHeadingProps) {
  const Tag = level === 2 ? 'h2' : 'h3'
  return (
    <Tag id={id} className="group/heading scroll-mt-6">
      {children}
      <a href={`#${id}`} aria-label={t('Link to this section')} className="docs-anchor">
        #
      </a>
    </Tag>
  )
}

type DocSectionProps = { level?: 2 | 3; id: string; title: string; children: ReactNode }

export function DocSection({ level = 2, id, title, children }: DocSectionProps) {
  return (
    <section aria-labelledby={id}>
      <DocHeading level={level} id={id}>
        {title}
      </DocHeading>
      {children}
    </section>
  )
}
