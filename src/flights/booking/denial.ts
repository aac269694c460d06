/**
 * Words that take a booking back, as the name of a field, in a sentence and in place of a PNR. A list of what is forbidden
 * ends somewhere: a word that is missing here makes a booking of what is none, one too many costs a telephone call.
 */
export const denial = anyOf(String.raw`
  \w*(fail|reject|declin|abort|cancel)\w* | un(able|available|booked|confirmed|known|paid|success\w*) | not |
  no longer | never | nothing | none | neither | cannot | \w+n't | denied | refused | void\w* | revers\w+ |
  releas\w+ | withdrawn | withdrew | taken back | roll(ed)? ?back | delet\w+ | remov\w+ | purged | dropped |
  lapsed | expired | suspended | inactive | deactivated | dead | blocked | closed | sold ?out |
  no ?(show|booking|pnr|seats?|flights?|reservation) | no (availability|response) | errors? | errno | fault |
  exception | invalid | missing | conflict | duplicate | skipped | excluded | refunded |
  refund (initiated|processed|id|amount|status|reference|date) | time ?out | timed? ?out | pending |
  (in )?process(ing)? | in progress | await\w* | wait(ing|ed)? | wait ?list\w* | wl | queued? | retry | attempt\w* |
  initiated | incomplete | partial\w* | provisional | tentative | subject to | yet to | under \w+ | on ?request |
  request only | manual | review | verification | confirmation required |
  (needs|requires) (\w+ ){0,3}(confirm|approv|action|review|payment)\w* | dry run | offline | rebook\w* | passive | dummy |
  draft | ghost | sample | te?mp(orary)? | placeholder | cxle?d? | xld | canc?led | terminated | annulled |
  overbooked | bumped | lost | flagged | preview | validate only | manually \w+ | test | simulat\w+ | sandbox |
  mock | shortly | soon | hx | uc | uu | hl | hn | ll | nn | pn | xx | \d+ of \d+ |
  will (be )?(confirm|notif|inform|updat|email|get back)\w* |
  only (one|two|three|\d+|onward|outbound|return|first)\b.*`);

/** Any of the words in a list, which are separated by bars. */
export function anyOf(list: string): RegExp {
  const words = list.split("|").map((word) => word.trim());
  return new RegExp(`\\b(?:${words.join("|")})\\b`);
}
