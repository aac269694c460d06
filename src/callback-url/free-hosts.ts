import { parse } from "tldts";

/** Whether a host is free for anyone, or belongs to a hosting provider (§6.6). */
export function isFreeHosting(host: string): boolean {
  const { isPrivate, publicSuffix } = parse(host, { allowPrivateDomains: true });
  if (isPrivate && !isCommercialRegistry(publicSuffix ?? "")) return true;
  return lastLabels(host).some((name) => freeHosts.has(name));
}

/** Whether domains below this one are sold like those of a top-level domain, such as `uk.com`. */
export function isCommercialRegistry(domain: string): boolean {
  return commercialRegistries.has(domain);
}

/** The longest name of the list, `sites.google.com`, has three labels. */
const maxLabels = 3;

/** `b.c.d`, `c.d`, `d` of `a.b.c.d`. */
function lastLabels(host: string): readonly string[] {
  const labels = host.split(".").slice(-maxLabels);
  return labels.map((_, index) => labels.slice(index).join("."));
}

/** In the private part of the public suffix list because domains below them are sold, not because they are free. */
const commercialRegistries: ReadonlySet<string> = new Set(
  [
    "ae.org africa.com br.com cn.com co.ca co.com co.cz co.dk co.nl co.no com.de com.ru com.se de.com eu.com gb.net",
    "gr.com hu.net in.net jp.net jpn.com mex.com radio.am radio.fm ru.com sa.com se.net uk.com uk.net us.com us.org",
    "za.com za.net za.org",
  ].flatMap((line) => line.split(" ")),
);

/** Free hosting, site builders and tunnels that the private part of the public suffix list does not name. */
const freeHosts: ReadonlySet<string> = new Set(
  [
    "000webhostapp.com 42web.io 50webs.com angelfire.com appspot.com atwebpages.com awardspace.com awardspace.net",
    "b4a.app back4app.io backname.io base44.app beacons.ai beeceptor.com bigcartel.com bio.link blogger.com",
    "blogspot.co.in blogspot.in bolt.host bolt.new bore.pub bubble.io bubbleapps.io business.site byet.org",
    "byethost.com carrd.co co.nf codesandbox.io ct.ws cyclic.app ddns.net deta.app devtunnels.ms dorik.io duckdns.org",
    "epizy.com expose.dev framer.ai framer.app framer.website free.nf freeservers.com ghost.io github.dev gitpod.io",
    "glideapp.io glitch.com glitch.me godaddysites.com gradio.live great-site.net heliohost.org homeip.net hookb.in",
    "hookdeck.com hopto.org hostingersite.com hstn.me iceiy.com ifttt.com infinityfreeapp.com infy.uk inlets.dev",
    "integromat.com jimdo.com jimdofree.com jimdosite.com koyeb.app lacolhost.com lhr.life lhr.rocks linktr.ee",
    "livejournal.com loca.lt localhost.run localtest.me localtunnel.me localxpose.io loclx.io lovable.app lovable.dev",
    "lvh.me make.com medium.com mockbin.io mooo.com mydurable.com myshopify.com mystrikingly.com n8n.cloud",
    "neocities.org nip.io no-ip.org notion.site odoo.com packetriot.net page.link pagekite.me pinggy.io pinggy.link",
    "pipedream.net playit.gg postb.in ptsv2.com railway.app requestbin.com requestbin.net requestcatcher.com rf.gd",
    "serveo.net serveousercontent.com simplesite.com site123.me sites.google.com smee.io softr.app sslip.io",
    "stackblitz.com stackblitz.io strikingly.com substack.com super.site sytes.net telebit.io tiiny.site traefik.me",
    "tripod.com tumblr.com tunnelmole.net tunnelto.dev typedream.app typedwebhook.tools ucoz.com ucoz.net unaux.com",
    "v0.app vcap.me webador.com webcontainer.io webflow.io webhook.cool webhook.site webhookrelay.com webnode.com",
    "webnode.page webstarts.com weebly.com weeblysite.com wix.com wixsite.com wixstudio.com wordpress.com",
    "wpengine.com wuaze.com x10.mx x10host.com xip.io zapier.com zapto.org zohosites.com zohosites.in zrok.io",
    "zyrosite.com",
  ].flatMap((line) => line.split(" ")),
);
