import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** What a document can try without a script. Most names are those of the element or rule that asks. */
const MARKUP = [
  'preconnect',
  'preload',
  'prefetch',
  'modulepreload',
  'stylesheet',
  'icon',
  'image',
  'srcset',
  'picture',
  'background',
  'style-url',
  'style-attribute',
  'import',
  'font',
  'video',
  'poster',
  'track',
  'input',
  'object',
  'embed',
  'iframe',
  'srcdoc',
  'svg-image',
  'svg-use',
  'svg-filter',
  'shadow',
  'noscript',
  'mutated-style',
  'mutated-comment',
  'mutated-title',
  'mutated-foreign',
] as const

/** What only a script can try. */
const SCRIPTED = [
  'fetch',
  'request',
  'socket',
  'events',
  'beacon',
  'script-image',
  'script-preconnect',
  'worker',
  'ping',
  'speculation',
  'transport',
  'stun',
  'turn',
  'blank-stun',
  'blank-turn',
  'srcdoc-stun',
  'srcdoc-turn',
  'opened-stun',
] as const

/** What takes the document elsewhere: each needs one of its own. */
const LEAVING = ['refresh', 'location', 'form'] as const

export type Attempt = (typeof MARKUP)[number] | (typeof SCRIPTED)[number] | (typeof LEAVING)[number]

/**
 * What reaches a listener when nothing stands in its way. The others are for other browsers, or, as `preconnect`, for one that
 * is not driven by a test.
 */
export const REACHING: readonly Attempt[] = [
  'stylesheet',
  'image',
  'style-url',
  'import',
  'video',
  'object',
  'iframe',
  'fetch',
  'request',
  'socket',
  'events',
  'beacon',
  'script-image',
  'worker',
  'stun',
  'turn',
  'blank-stun',
  'blank-turn',
  'srcdoc-stun',
  'srcdoc-turn',
  ...LEAVING,
]

type Listeners = {
  /** `127.0.0.1:port`; each attempt has its own. */
  addressOf: (attempt: Attempt) => string
  /** The attempts that got through. */
  heard: Set<Attempt>
  close: () => Promise<void>
}

/** Listens for each attempt on a port of its own, TCP or, where it would send packets, UDP. */
export async function startListeners(): Promise<Listeners> {
  const heard = new Set<Attempt>()
  const ports = new Map<Attempt, number>()
  const closes: (() => Promise<unknown>)[] = []
  for (const attempt of [...MARKUP, ...SCRIPTED, ...LEAVING]) {
    const isUdp = attempt.endsWith('stun') || attempt === 'transport'
    const { port, close } = await (isUdp ? listenUdp : listenTcp)(() => heard.add(attempt))
    ports.set(attempt, port)
    closes.push(close)
  }
  return {
    addressOf: (attempt) => `127.0.0.1:${ports.get(attempt)}`,
    heard,
    close: async () => void (await Promise.all(closes.map((close) => close()))),
  }
}

async function listenTcp(onContact: () => void) {
  const server: Server = createServer((socket) => {
    onContact()
    socket.on('error', () => undefined)
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { port, close: () => new Promise((resolve) => server.close(resolve)) }
}

async function listenUdp(onContact: () => void) {
  const socket = createSocket('udp4')
  socket.on('message', onContact)
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, close: () => new Promise<void>((resolve) => socket.close(() => resolve())) }
}

/** Documents that try everything, by what they are shown as. The first is the one that stays where it is. */
export function hostileDocuments(addressOf: Listeners['addressOf']): string[] {
  const at = (attempt: Attempt) => `http://${addressOf(attempt)}/`
  const leaving = (inner: string) => `<!doctype html>\n<p class="marker">shown</p>\n${inner}`
  return [
    stayingDocument(addressOf),
    leaving(`<meta http-equiv="refresh" content="0;url=${at('refresh')}">`),
    leaving(`<script>location.href = '${at('location')}'</script>`),
    leaving(
      `<form action="${at('form')}"><input name="a" value="b"></form><script>document.forms[0].submit()</script>`,
    ),
  ]
}

/** A drawing that tries what drawings can. */
export const hostileSvg = (
  addressOf: Listeners['addressOf'],
): string => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40" onload="fetch('http://${addressOf('fetch')}/')">
<style>@import "http://${addressOf('import')}/"; circle { fill: url(http://${addressOf('style-url')}/#a) }</style>
<circle class="marker" cx="20" cy="20" r="18"/>
<image xlink:href="http://${addressOf('svg-image')}/" width="9" height="9"/>
<use href="http://${addressOf('svg-use')}/#a"/>
<a href="http://${addressOf('ping')}/"><animate attributeName="href" to="http://${addressOf('ping')}/"/><text y="9">link</text></a>
<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="http://${addressOf('iframe')}/"></iframe><link xmlns="http://www.w3.org/1999/xhtml" rel="preconnect" href="http://${addressOf('preconnect')}/"/></foreignObject>
<script>${script(addressOf)}</script>
</svg>`

function stayingDocument(addressOf: Listeners['addressOf']): string {
  const at = (attempt: Attempt) => `http://${addressOf(attempt)}/`
  const link = (attempt: Attempt) => `<link rel="preconnect" href="${at(attempt)}">`
  return `<!doctype html>
<html><head>
<meta http-equiv="x-dns-prefetch-control" content="on">
<link rel="dns-prefetch" href="//secret.preview.invalid">
${link('preconnect')}
<link rel="preload" as="image" href="${at('preload')}">
<link rel="prefetch" href="${at('prefetch')}">
<link rel="modulepreload" href="${at('modulepreload')}">
<link rel="stylesheet" href="${at('stylesheet')}">
<link rel="icon" href="${at('icon')}">
<style>@import "${at('import')}";
@font-face { font-family: f; src: url(${at('font')}) }
.styled { background: url(${at('style-url')}); font-family: f }</style>
</head>
<body background="${at('background')}">
<p class="marker">shown</p>
<a id="outside" href="${at('ping')}" ping="${at('ping')}">An address outside</a>
<a id="pinging" href="#end" ping="${at('ping')}">The end of the page</a>
<p class="styled">styled</p>
<p style="background-image: url(${at('style-attribute')})">styled</p>
<img src="${at('image')}"><img srcset="${at('srcset')} 1x"><picture><source srcset="${at('picture')}"><img></picture>
<video src="${at('video')}" poster="${at('poster')}" autoplay muted><track default src="${at('track')}"></video>
<input type="image" src="${at('input')}"><object data="${at('object')}"></object><embed src="${at('embed')}">
<iframe src="${at('iframe')}"></iframe>
<iframe srcdoc='${link('srcdoc')}'></iframe>
<svg><image href="${at('svg-image')}"/><use href="${at('svg-use')}#a"/><filter id="g"><feImage href="${at('svg-filter')}"/></filter><rect width="9" height="9" filter="url(#g)"/></svg>
<div><template shadowrootmode="open">${link('shadow')}</template></div>
<noscript>${link('noscript')}</noscript>
<svg></p><style><!--</style>${link('mutated-style')}--></style></svg>
<!--><img title="--><img title='-->${link('mutated-comment')}'>">
<math><mtext><table><mglyph><style><math title="</style>${link('mutated-title')}"></math></style></mglyph></table></mtext></math>
<form><math><mtext></form><form><mglyph><svg><mtext><textarea><path id="</textarea>${link('mutated-foreign')}"></svg></mglyph></form></mtext></math>
<p id="end">end</p>
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${at('speculation')}"],"requires":["anonymous-client-ip-when-cross-origin"]},{"source":"list","urls":["${at('speculation')}"]}]}</script>
<script>${script(addressOf)}</script>
</body></html>`
}

/** The tricks of scripts, each by itself: what one of them throws keeps no other from its turn. */
function script(addressOf: Listeners['addressOf']): string {
  const url = (attempt: Attempt) => `'http://${addressOf(attempt)}/'`
  return `
const attempt = (run) => { try { run() } catch {} }
const call = (Peer, stun, turn) => {
  const peer = new Peer({ iceServers: [
    { urls: 'stun:' + stun },
    ...(turn ? [{ urls: 'turn:' + turn + '?transport=tcp', username: 'a', credential: 'b' }] : []),
  ] })
  peer.createDataChannel('a')
  peer.createOffer().then((offer) => peer.setLocalDescription(offer))
  window.peers = [...(window.peers || []), peer]
}
const framed = (source) => {
  const frame = document.createElement('iframe')
  if (source) frame.srcdoc = source
  document.documentElement.append(frame)
  return frame.contentWindow
}
attempt(() => fetch(${url('fetch')}).catch(() => 0))
attempt(() => { const request = new XMLHttpRequest(); request.open('GET', ${url('request')}); request.send() })
attempt(() => new WebSocket('ws://${addressOf('socket')}/'))
attempt(() => new EventSource(${url('events')}))
attempt(() => navigator.sendBeacon(${url('beacon')}, 'a'))
attempt(() => { new Image().src = ${url('script-image')} })
attempt(() => { const link = document.createElement('link'); link.rel = 'preconnect'; link.href = ${url('script-preconnect')}; document.head.append(link) })
attempt(() => new Worker(URL.createObjectURL(new Blob(["fetch(${url('worker')})"]))))
attempt(() => document.querySelector('#pinging').click())
attempt(() => new WebTransport('https://${addressOf('transport')}/').ready.catch(() => 0))
attempt(() => call(RTCPeerConnection, '${addressOf('stun')}', '${addressOf('turn')}'))
attempt(() => call(framed().RTCPeerConnection, '${addressOf('blank-stun')}', '${addressOf('blank-turn')}'))
attempt(() => framed('<script>window.peers = [];(' + call + ")(RTCPeerConnection, '${addressOf('srcdoc-stun')}', '${addressOf('srcdoc-turn')}')<" + '/script>'))
attempt(() => call(window.open('about:blank').RTCPeerConnection, '${addressOf('opened-stun')}'))
`
}
