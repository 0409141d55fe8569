import 'server-only'
import { inTime } from '@/lib/kernel/deadlines'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import type { EmbeddingEngine } from '@/lib/services/engines/engine'
import { embeddingEngine } from '@/lib/services/engines/registry'
import { embedSoon, similarity } from '@/lib/services/web/passages'

const DECIDE_MS = 2_000
const EXAMPLES_MS = 30_000
const MAX_QUESTION_CHARS = 400
const VOTERS = 5
const MIN_SIMILARITY = 0.25

const EXAMPLES = 'web-decision-examples'

/**
 * Decides whether a question needs the web: by rules, otherwise by the most similar examples. In doubt no, since a
 * search costs money.
 *
 * @throws the signal's reason when the caller left.
 */
export async function needsWeb(
  question: string,
  signal: AbortSignal,
  o: { engine?: EmbeddingEngine; now?: Date } = {},
): Promise<boolean> {
  signal.throwIfAborted()
  const rule = ruleOf(question, o.now ?? new Date())
  if (rule !== undefined) return rule
  // One that cannot be read is like any example.
  if (!/\p{L}{2}/u.test(question)) return false
  const engine = o.engine ?? embeddingEngine()
  if (!engine) return false
  const [asked, known] = await Promise.all([
    embedSoon([question.slice(0, MAX_QUESTION_CHARS)], { engine, withinMs: DECIDE_MS, signal }),
    inTime(examples(engine), DECIDE_MS),
  ])
  return asked && known ? vote(asked[0]!, known) : false
}

type Examples = { vector: Float32Array; isWeb: boolean }[]

/** Embedded once per process; a caller who leaves does not cancel it for others. */
function examples(engine: EmbeddingEngine): Promise<Examples | undefined> {
  return perProcess(EXAMPLES, async () => {
    const texts = [...NEEDS_WEB, ...NEEDS_NO_WEB]
    const never = new AbortController().signal
    const vectors = await embedSoon(texts, { engine, withinMs: EXAMPLES_MS, signal: never })
    if (!vectors) resetPerProcess(EXAMPLES)
    return vectors?.map((vector, index) => ({ vector, isWeb: index < NEEDS_WEB.length }))
  })
}

function vote(asked: Float32Array, known: Examples): boolean {
  const nearest = known
    .map(({ vector, isWeb }) => ({ isWeb, nearness: similarity(asked, vector) }))
    .sort((left, right) => right.nearness - left.nearness)
    .slice(0, VOTERS)
  if (nearest[0]!.nearness < MIN_SIMILARITY) return false
  // Squared: two that are very like the question outweigh three that are a little.
  return nearest.reduce((sum, { isWeb, nearness }) => sum + (isWeb ? 1 : -1) * nearness ** 2, 0) > 0
}

const MAX_CHARS = 2_000

const ASKS_TO_SEARCH =
  /https?:\/\/|\bwww\.|\b(?:search|look|browse|check|find|see)\b[^.?!\n]{0,40}\b(?:web|internet|online)\b|\b(?:on|from) the (?:web|internet)\b|\bweb search\b|^\W*(?:please |can you |could you )?google\b|\bsuche? im (?:internet|netz|web)\b|\bcherche sur (?:internet|le web)\b|\bbusca en (?:internet|la web)\b/iu
const MAY_ASK_TO_SEARCH =
  /\b(?:search for|look (?:\S+ ){0,3}up|find (?:me )?(?:sources?|articles?|links?|reviews?|papers?))\b/iu
const IS_CRAFT =
  /```|\b(?:translate|proofread|rephrase|paraphrase|rewrite|reword|shorten|autocomplete|roleplay|role-play)\b|\b(?:übersetze|traduis|traduire|traduce|traduci)\b|\b(?:write|compose|create|draft|make up|invent|tell|schreib|écris|escribe)\b[^.?!\n]{0,40}\b(?:poem|haiku|limerick|story|song|lyrics|joke|letter|e-?mail|essay|speech|dialog(?:ue)?|scene|novel|tale|rhyme|slogan|tweet|gedicht|poème|poema|histoire|cuento)\b|\b(?:write|implement|fix|debug|refactor|optimi[sz]e|explain|code|create|build)\b[^?!\n]{0,60}\b(?:function|method|class|script|program|regex|regexp|query|loop|algorithm|unit tests?|component|code|snippet|python|javascript|typescript|java|rust|golang|c\+\+|sql|bash|html|css)\b|\b(?:summari[sz]e|correct|edit|improve)\b[^.?!\n]{0,20}\b(?:this|the following|my|text|paragraph|sentence|essay)\b/iu
const IS_MATHS =
  /^[\s\d.,+\-*/^×÷=()%x?!]*\d[\s\d.,+\-*/^×÷=()%x?!]*$|\b(?:what(?:'s| is)|calculate|compute|how much is)\s+[\d(][\d\s.,()]*(?:[+\-*/^×÷%x]|plus|minus|times|divided by|percent of)|\b(?:solve|integrate|differentiate|factori[sz]e|simplify|prove)\b[^.?!\n]{0,60}(?:[=^√∫]|\b(?:equation|integral|derivative|theorem|that|for x)\b)/iu
const IS_GREETING =
  /^\W*(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night)|thanks?|thank you|thx|ok(?:ay)?|yes|no|please|bye|goodbye|how are you|who are you|what(?:'s| is) your name|hallo|guten (?:morgen|tag|abend)|danke|tschüss|bonjour|salut|merci|hola|buenos días|gracias|ciao|olá)\b(?:[\s,!.]+(?:there|everyone|all|again|so much|a lot|very much|you|how are you|today|for (?:your|the) help))*[\s!.?]*$/iu
const IS_OF_NOW =
  /\b(?:today|tonight|tomorrow|yesterday|right now|at the moment|currently|nowadays|these days|as of (?:now|today)|latest|newest|most recent|recently|breaking|up[- ]to[- ]date|this (?:week|month|year|season|morning|evening|weekend)|last (?:night|week|month|weekend)|next (?:week|month|weekend|season)|news|headlines?|weather|forecast|temperature (?:in|outside)|pollen|live scores?|standings|box office|who won|who is winning|lineup|stock price|share price|market cap|exchange rate|price of|how much (?:does|do|is|are|for)\b[^.?!\n]{0,40}\b(?:cost|now|worth|tickets?)|ticket prices?|opening hours|release date|release notes|changelog|trending|upcoming|out yet|still (?:alive|open|available|on)|traffic (?:in|on|jam)|election results?|polls?|current (?:\p{L}+ ){0,3}(?:price|president|prime minister|ceo|champion|version|rate|time|status|record|leader|government|population|situation|events?)|heute|morgen früh|gestern|aktuell(?:e[rnsm]?)?|nachrichten|wetter|neueste[rnsm]?|aujourd'hui|demain|hier soir|actualités?|météo|dernières nouvelles|hoy|ayer|noticias|clima|tiempo hace|últimas?)\b/iu
const IS_OF_ALWAYS =
  /\b(?:what day is it|how (?:do|does|did|to)\b[^.?!\n]{0,40}\b(?:forecast|weather|news(?:papers?)?|polls?|stock price|exchange rate)|news cycle|my day today|i feel|i am feeling|i'm feeling|plan (?:for )?my|cook (?:for )?(?:tonight|today|dinner)|in history|(?:meaning|definition|etymology) of|rhymes? with|synonyms? (?:for|of))\b|^(?:so |and |but )?what(?:'s| is| are) an? (?!good|best|cheap)/iu
const IS_EXPLANATION =
  /^(?:(?:can|could|would) you |please )*(?:explain|define|describe)\b|^why (?:do|does|did|was|were)\b/iu
const YEAR =
  /(?<![\d.,$€£])\b(20\d\d)\b(?![\d.,]\d|\s*(?:[+*/=×÷]|px|mm|cm|km|kg|m\b|words?|characters?|usd|dollars?|euros?))/giu

export function ruleOf(question: string, now: Date): boolean | undefined {
  const text = question.slice(0, MAX_CHARS).trim()
  if (ASKS_TO_SEARCH.test(text)) return true
  if (IS_GREETING.test(text) || IS_MATHS.test(text) || IS_CRAFT.test(text)) return false
  if (IS_OF_ALWAYS.test(text)) return false
  if (MAY_ASK_TO_SEARCH.test(text) || IS_OF_NOW.test(text)) return true
  const lastYear = now.getUTCFullYear() - 1
  for (const [, year] of text.matchAll(YEAR)) if (Number(year) >= lastYear && Number(year) <= lastYear + 6) return true
  return IS_EXPLANATION.test(text) ? false : undefined
}

export const NEEDS_WEB: readonly string[] = [
  'who is the president of Brazil right now',
  'how did the stock market do',
  'is the new iPhone out yet',
  'what time does the museum open',
  'how much does a flight to Lisbon cost',
  'best restaurants near Central Station',
  'did the senate pass the bill',
  'who won the match',
  'what is the score of the game',
  'is it going to rain in Hamburg',
  'how hot is it in Madrid',
  'where can I buy a second-hand piano in Leeds',
  'is the website of the city council down',
  'what are people saying about the new Dune film',
  'when does the next season come out',
  'what is the newest version of Node.js',
  'who is the CEO of OpenAI',
  'how much is a bitcoin worth',
  'what is the population of Lagos',
  'interest rate of the European Central Bank',
  'are there train strikes in France',
  'release date of Grand Theft Auto 6',
  'reviews of the Framework laptop',
  'which phone should I buy',
  'what happened in Sudan',
  'is the actor still alive',
  'phone number of the Italian embassy in Berlin',
  'who is playing at Glastonbury',
  'what is the exchange rate of the yen',
  'cheapest electric car on the market',
  'visa requirements for Vietnam',
  'who leads the Premier League table',
  'what is on television',
  'is there a vaccine against the virus',
  'how many subscribers does the channel have',
  'what does the company pay its engineers',
  'are the shops open on Sunday in Vienna',
  'find me a paper about sparse attention',
  'what is the minimum wage in Germany',
  'how do I get from the airport to the city centre of Oslo',
  'any delays on the underground',
  'which films are in the cinema',
  'election results',
  'how is the war going',
  'who is the richest person in the world',
  'give me the opening hours of the library',
  'is the game worth buying according to critics',
  'what changed in the new tax law',
  'how old is Brad Pitt',
  'who is Zendaya dating',
  'net worth of Elon Musk',
  'did the band break up',
  'which team did the striker sign for',
  'where can I watch the race',
  'how many people died in the earthquake',
  'is the service down',
  'Ethereum',
  'what did the minister say about the reform',
  'does the airline fly to Tokyo',
  'best headphones for running',
]

export const NEEDS_NO_WEB: readonly string[] = [
  'explain photosynthesis',
  'why is the sky blue',
  'what is the capital of France',
  'who wrote Hamlet',
  'what is a prime number',
  'how does a combustion engine work',
  'what is the difference between TCP and UDP',
  'tell me a joke',
  'I feel sad and do not know what to do',
  'what should I say to a friend who lost her job',
  'give me ideas for a birthday present',
  'how do I make pancakes',
  'what does the word serendipity mean',
  'explain recursion to a child',
  'what is the derivative of x squared',
  'how many sides does a hexagon have',
  'who was Napoleon',
  'why did the Roman Empire fall',
  'help me plan my week',
  'play a game of twenty questions with me',
  'what are the planets of the solar system',
  'what is the boiling point of water',
  'is a tomato a fruit',
  'describe the water cycle',
  'pros and cons of working from home',
  'how can I sleep better',
  'what is the meaning of life',
  'you are a pirate, answer as one',
  'what did I tell you before',
  'can you repeat that in simpler words',
  'thank you, that helped',
  'what can you do',
  'how do I reverse a linked list',
  'what is a closure in JavaScript',
  'why does my loop never end',
  'give me a name for my cat',
  'suggest a title for this chapter',
  'what is the chemical formula of salt',
  'when did the Second World War end',
  'how do vaccines work',
  'what is supply and demand',
  'teach me a few words of Spanish',
  'how do I tie a tie',
  'what is the difference between affect and effect',
  'how far is the moon from the earth',
  'which is bigger, a whale or an elephant',
  'make a packing list for a beach holiday',
  'what is the plot of Romeo and Juliet',
  'was Mozart deaf',
  'was Newton married',
  'how do banks make money',
  'how does Facebook earn its money',
  'what is the currency of Switzerland',
  'what language do they speak in Brazil',
  'what is a good way to learn to draw',
  'how can I get better at chess',
  'give me a summary of Moby Dick',
  'who is the main character of The Great Gatsby',
  'how was the Great Wall of China built',
  'what caused the First World War',
  'how do I apologise to my sister',
  'should I learn the guitar or the violin',
  'what are the rules of chess',
  'what is the longest river in Africa',
]
