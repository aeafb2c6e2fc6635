"""How often the guess is right, on a paragraph of each language in each encoding that it is commonly written in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.encoding_guess import SAMPLE, sample_of
from engine.documents.text import decode

# Language -> encodings, and one paragraph about the key of a lighthouse.
PARAGRAPHS = {
    "de": (
        "cp1252 latin-1 mac_roman cp850 iso8859-15",
        "Der Schl\u00fcssel zum Leuchtturm liegt in der gr\u00fcnen Blechdose unter der dritten Stufe. Wer ihn ho"
        "lt, tr\u00e4gt sich in das Heft ein, das neben der T\u00fcr h\u00e4ngt. Die Mannschaft pr\u00fcft die Bo"
        "ote am ersten Montag des Monats; f\u00fcr gro\u00dfe Fahrten m\u00fcssen au\u00dferdem \u00d6l und Wasse"
        "r nachgef\u00fcllt werden.",
    ),
    "fr": (
        "cp1252 latin-1 mac_roman cp850 iso8859-15",
        "La cl\u00e9 du phare se trouve dans la bo\u00eete verte, sous la troisi\u00e8me marche de l'escalier. Ce"
        "lui qui la prend signe le cahier accroch\u00e9 pr\u00e8s de la porte. L'\u00e9quipage v\u00e9rifie les b"
        "ateaux le premier lundi du mois ; pour les longs trajets, il faut aussi compl\u00e9ter l'huile et l'eau,"
        " m\u00eame \u00e0 l'arriv\u00e9e.",
    ),
    "es": (
        "cp1252 latin-1 mac_roman cp850",
        "La llave del faro est\u00e1 en la caja verde, debajo del tercer pelda\u00f1o de la escalera. Quien la re"
        "coge firma en el cuaderno que cuelga junto a la puerta. La tripulaci\u00f3n revisa los botes el primer l"
        "unes del mes; \u00bfqui\u00e9n a\u00f1ade el aceite y el agua? As\u00ed ser\u00e1 tambi\u00e9n en oto"
        "\u00f1o.",
    ),
    "pt": (
        "cp1252 latin-1 mac_roman",
        "A chave do farol est\u00e1 na caixa verde, debaixo do terceiro degrau da escada. Quem a levar assina o c"
        "aderno pendurado junto \u00e0 porta. A tripula\u00e7\u00e3o verifica as embarca\u00e7\u00f5es na primeir"
        "a segunda-feira do m\u00eas; n\u00e3o \u00e9 preciso avisar, mas conv\u00e9m faz\u00ea-lo com anteced"
        "\u00eancia.",
    ),
    "sv": (
        "cp1252 latin-1 mac_roman",
        "Nyckeln till fyren ligger i den gr\u00f6na burken under det tredje trappsteget. Den som h\u00e4mtar den "
        "skriver sitt namn i boken som h\u00e4nger bredvid d\u00f6rren. Bes\u00e4ttningen g\u00e5r igenom b\u00e5"
        "tarna den f\u00f6rsta m\u00e5ndagen i m\u00e5naden; f\u00f6r l\u00e5nga resor m\u00e5ste \u00e4ven olja "
        "och vatten fyllas p\u00e5.",
    ),
    "da": (
        "cp1252 latin-1",
        "N\u00f8glen til fyret ligger i den gr\u00f8nne d\u00e5se under det tredje trin. Den, der henter den, skr"
        "iver sit navn i bogen, som h\u00e6nger ved siden af d\u00f8ren. Mandskabet gennemg\u00e5r b\u00e5dene de"
        "n f\u00f8rste mandag i m\u00e5neden; til lange rejser skal der ogs\u00e5 fyldes olie og vand p\u00e5.",
    ),
    "pl": (
        "cp1250 iso8859-2",
        "Klucz do latarni le\u017cy w zielonej puszce pod trzecim stopniem schod\u00f3w. Kto go bierze, wpisuje s"
        "i\u0119 do zeszytu wisz\u0105cego obok drzwi. Za\u0142oga sprawdza \u0142odzie w pierwszy poniedzia"
        "\u0142ek miesi\u0105ca; przed d\u0142u\u017csz\u0105 podr\u00f3\u017c\u0105 nale\u017cy r\u00f3wnie"
        "\u017c uzupe\u0142ni\u0107 olej i wod\u0119, \u017ceby nie zabrak\u0142o.",
    ),
    "cs": (
        "cp1250 iso8859-2",
        "Kl\u00ed\u010d od maj\u00e1ku le\u017e\u00ed v zelen\u00e9 plechovce pod t\u0159et\u00edm schodem. Kdo s"
        "i ho vezme, zap\u00ed\u0161e se do se\u0161itu, kter\u00fd vis\u00ed vedle dve\u0159\u00ed. Pos\u00e1dka"
        " kontroluje \u010dluny prvn\u00ed pond\u011bl\u00ed v m\u011bs\u00edci; p\u0159ed del\u0161\u00ed plavbo"
        "u je t\u0159eba doplnit tak\u00e9 olej a vodu, aby b\u011bhem cesty nic nechyb\u011blo.",
    ),
    "hu": (
        "cp1250 iso8859-2",
        "A vil\u00e1g\u00edt\u00f3torony kulcsa a z\u00f6ld dobozban van, a harmadik l\u00e9pcs\u0151fok alatt. A"
        "ki elviszi, be\u00edrja a nev\u00e9t az ajt\u00f3 mellett l\u00f3g\u00f3 f\u00fczetbe. A leg\u00e9nys"
        "\u00e9g minden h\u00f3nap els\u0151 h\u00e9tf\u0151j\u00e9n \u00e1tvizsg\u00e1lja a cs\u00f3nakokat; hos"
        "szabb \u00fat el\u0151tt az olajat \u00e9s a vizet is fel kell t\u00f6lteni, k\u00fcl\u00f6n\u00f6sen "
        "\u0151sszel.",
    ),
    "hr": (
        "cp1250",
        "Klju\u010d svjetionika nalazi se u zelenoj kutiji ispod tre\u0107e stepenice. Tko ga uzme, upisuje se u "
        "bilje\u017enicu koja visi pokraj vrata. Posada pregledava \u010damce prvog ponedjeljka u mjesecu; prije "
        "du\u017ee plovidbe treba tako\u0111er dopuniti ulje i vodu, \u0161to nije te\u0161ko.",
    ),
    "tr": (
        "cp1254",
        "Deniz fenerinin anahtar\u0131 \u00fc\u00e7\u00fcnc\u00fc basama\u011f\u0131n alt\u0131ndaki ye\u015fil k"
        "utudad\u0131r. Anahtar\u0131 alan ki\u015fi kap\u0131n\u0131n yan\u0131nda as\u0131l\u0131 duran deftere"
        " ad\u0131n\u0131 yazar. M\u00fcrettebat her ay\u0131n ilk pazartesi g\u00fcn\u00fc tekneleri g\u00f6zden"
        " ge\u00e7irir; uzun yolculuklardan \u00f6nce ya\u011f ve su da tamamlanmal\u0131d\u0131r, \u00e7\u00fcnk"
        "\u00fc yolda bulunmaz.",
    ),
    "ru": (
        "cp1251 koi8_r cp866 iso8859-5",
        "\u041a\u043b\u044e\u0447 \u043e\u0442 \u043c\u0430\u044f\u043a\u0430 \u043b\u0435\u0436\u0438\u0442 "
        "\u0432 \u0437\u0435\u043b\u0451\u043d\u043e\u0439 \u0436\u0435\u0441\u0442\u044f\u043d\u043a\u0435 "
        "\u043f\u043e\u0434 \u0442\u0440\u0435\u0442\u044c\u0435\u0439 \u0441\u0442\u0443\u043f\u0435\u043d\u044c"
        "\u044e \u043b\u0435\u0441\u0442\u043d\u0438\u0446\u044b. \u041a\u0442\u043e \u0431\u0435\u0440\u0451"
        "\u0442 \u0435\u0433\u043e, \u0440\u0430\u0441\u043f\u0438\u0441\u044b\u0432\u0430\u0435\u0442\u0441"
        "\u044f \u0432 \u0442\u0435\u0442\u0440\u0430\u0434\u0438, \u043a\u043e\u0442\u043e\u0440\u0430\u044f "
        "\u0432\u0438\u0441\u0438\u0442 \u0440\u044f\u0434\u043e\u043c \u0441 \u0434\u0432\u0435\u0440\u044c"
        "\u044e. \u041a\u043e\u043c\u0430\u043d\u0434\u0430 \u043e\u0441\u043c\u0430\u0442\u0440\u0438\u0432"
        "\u0430\u0435\u0442 \u043b\u043e\u0434\u043a\u0438 \u0432 \u043f\u0435\u0440\u0432\u044b\u0439 \u043f"
        "\u043e\u043d\u0435\u0434\u0435\u043b\u044c\u043d\u0438\u043a \u043c\u0435\u0441\u044f\u0446\u0430; "
        "\u043f\u0435\u0440\u0435\u0434 \u0434\u043e\u043b\u0433\u0438\u043c \u043f\u043b\u0430\u0432\u0430\u043d"
        "\u0438\u0435\u043c \u043d\u0443\u0436\u043d\u043e \u0442\u0430\u043a\u0436\u0435 \u0434\u043e\u043b"
        "\u0438\u0442\u044c \u043c\u0430\u0441\u043b\u043e \u0438 \u0432\u043e\u0434\u0443.",
    ),
    "uk": (
        "cp1251 koi8_u",
        "\u041a\u043b\u044e\u0447 \u0432\u0456\u0434 \u043c\u0430\u044f\u043a\u0430 \u043b\u0435\u0436\u0438"
        "\u0442\u044c \u0443 \u0437\u0435\u043b\u0435\u043d\u0456\u0439 \u0431\u043b\u044f\u0448\u0430\u043d"
        "\u0446\u0456 \u043f\u0456\u0434 \u0442\u0440\u0435\u0442\u044c\u043e\u044e \u0441\u0445\u043e\u0434"
        "\u0438\u043d\u043a\u043e\u044e. \u0425\u0442\u043e \u0431\u0435\u0440\u0435 \u0439\u043e\u0433\u043e, "
        "\u0440\u043e\u0437\u043f\u0438\u0441\u0443\u0454\u0442\u044c\u0441\u044f \u0432 \u0437\u043e\u0448\u0438"
        "\u0442\u0456, \u0449\u043e \u0432\u0438\u0441\u0438\u0442\u044c \u043f\u043e\u0440\u0443\u0447 \u0456"
        "\u0437 \u0434\u0432\u0435\u0440\u0438\u043c\u0430. \u041a\u043e\u043c\u0430\u043d\u0434\u0430 \u043e"
        "\u0433\u043b\u044f\u0434\u0430\u0454 \u0447\u043e\u0432\u043d\u0438 \u043f\u0435\u0440\u0448\u043e\u0433"
        "\u043e \u043f\u043e\u043d\u0435\u0434\u0456\u043b\u043a\u0430 \u043c\u0456\u0441\u044f\u0446\u044f; "
        "\u043f\u0435\u0440\u0435\u0434 \u0434\u043e\u0432\u0433\u043e\u044e \u043f\u043e\u0434\u043e\u0440\u043e"
        "\u0436\u0436\u044e \u0442\u0440\u0435\u0431\u0430 \u0442\u0430\u043a\u043e\u0436 \u0434\u043e\u043b"
        "\u0438\u0442\u0438 \u043e\u043b\u0438\u0432\u0443 \u0442\u0430 \u0432\u043e\u0434\u0443, \u0449\u043e"
        "\u0431 \u0432\u0438\u0441\u0442\u0430\u0447\u0438\u043b\u043e.",
    ),
    "bg": (
        "cp1251",
        "\u041a\u043b\u044e\u0447\u044a\u0442 \u043e\u0442 \u0444\u0430\u0440\u0430 \u0441\u0435 \u043d\u0430"
        "\u043c\u0438\u0440\u0430 \u0432 \u0437\u0435\u043b\u0435\u043d\u0430\u0442\u0430 \u043a\u0443\u0442"
        "\u0438\u044f \u043f\u043e\u0434 \u0442\u0440\u0435\u0442\u043e\u0442\u043e \u0441\u0442\u044a\u043f"
        "\u0430\u043b\u043e \u043d\u0430 \u0441\u0442\u044a\u043b\u0431\u0430\u0442\u0430. \u041a\u043e\u0439"
        "\u0442\u043e \u0433\u043e \u0432\u0437\u0435\u043c\u0435, \u0441\u0435 \u043f\u043e\u0434\u043f\u0438"
        "\u0441\u0432\u0430 \u0432 \u0442\u0435\u0442\u0440\u0430\u0434\u043a\u0430\u0442\u0430, \u043a\u043e"
        "\u044f\u0442\u043e \u0432\u0438\u0441\u0438 \u0434\u043e \u0432\u0440\u0430\u0442\u0430\u0442\u0430. "
        "\u0415\u043a\u0438\u043f\u0430\u0436\u044a\u0442 \u043f\u0440\u0435\u0433\u043b\u0435\u0436\u0434\u0430 "
        "\u043b\u043e\u0434\u043a\u0438\u0442\u0435 \u0432 \u043f\u044a\u0440\u0432\u0438\u044f \u043f\u043e"
        "\u043d\u0435\u0434\u0435\u043b\u043d\u0438\u043a \u043d\u0430 \u043c\u0435\u0441\u0435\u0446\u0430; "
        "\u043f\u0440\u0435\u0434\u0438 \u0434\u044a\u043b\u0433\u043e \u043f\u044a\u0442\u0443\u0432\u0430\u043d"
        "\u0435 \u0442\u0440\u044f\u0431\u0432\u0430 \u0434\u0430 \u0441\u0435 \u0434\u043e\u043b\u0435\u044f"
        "\u0442 \u043c\u0430\u0441\u043b\u043e \u0438 \u0432\u043e\u0434\u0430.",
    ),
    "el": (
        "cp1253 iso8859-7",
        "\u03a4\u03bf \u03ba\u03bb\u03b5\u03b9\u03b4\u03af \u03c4\u03bf\u03c5 \u03c6\u03ac\u03c1\u03bf\u03c5 "
        "\u03b2\u03c1\u03af\u03c3\u03ba\u03b5\u03c4\u03b1\u03b9 \u03c3\u03c4\u03bf \u03c0\u03c1\u03ac\u03c3\u03b9"
        "\u03bd\u03bf \u03ba\u03bf\u03c5\u03c4\u03af \u03ba\u03ac\u03c4\u03c9 \u03b1\u03c0\u03cc \u03c4\u03bf "
        "\u03c4\u03c1\u03af\u03c4\u03bf \u03c3\u03ba\u03b1\u03bb\u03bf\u03c0\u03ac\u03c4\u03b9. \u038c\u03c0"
        "\u03bf\u03b9\u03bf\u03c2 \u03c4\u03bf \u03c0\u03b1\u03af\u03c1\u03bd\u03b5\u03b9 \u03c5\u03c0\u03bf"
        "\u03b3\u03c1\u03ac\u03c6\u03b5\u03b9 \u03c3\u03c4\u03bf \u03c4\u03b5\u03c4\u03c1\u03ac\u03b4\u03b9\u03bf"
        " \u03c0\u03bf\u03c5 \u03ba\u03c1\u03ad\u03bc\u03b5\u03c4\u03b1\u03b9 \u03b4\u03af\u03c0\u03bb\u03b1 "
        "\u03c3\u03c4\u03b7\u03bd \u03c0\u03cc\u03c1\u03c4\u03b1. \u03a4\u03bf \u03c0\u03bb\u03ae\u03c1\u03c9"
        "\u03bc\u03b1 \u03b5\u03bb\u03ad\u03b3\u03c7\u03b5\u03b9 \u03c4\u03b9\u03c2 \u03b2\u03ac\u03c1\u03ba"
        "\u03b5\u03c2 \u03c4\u03b7\u03bd \u03c0\u03c1\u03ce\u03c4\u03b7 \u0394\u03b5\u03c5\u03c4\u03ad\u03c1"
        "\u03b1 \u03c4\u03bf\u03c5 \u03bc\u03ae\u03bd\u03b1\u00b7 \u03c0\u03c1\u03b9\u03bd \u03b1\u03c0\u03cc "
        "\u03bc\u03b5\u03b3\u03ac\u03bb\u03bf \u03c4\u03b1\u03be\u03af\u03b4\u03b9 \u03c3\u03c5\u03bc\u03c0\u03bb"
        "\u03b7\u03c1\u03ce\u03bd\u03bf\u03c5\u03bc\u03b5 \u03bb\u03ac\u03b4\u03b9 \u03ba\u03b1\u03b9 \u03bd"
        "\u03b5\u03c1\u03cc.",
    ),
    "he": (
        "cp1255 iso8859-8",
        "\u05d4\u05de\u05e4\u05ea\u05d7 \u05e9\u05dc \u05d4\u05de\u05d2\u05d3\u05dc\u05d5\u05e8 \u05e0\u05de"
        "\u05e6\u05d0 \u05d1\u05e7\u05d5\u05e4\u05e1\u05d4 \u05d4\u05d9\u05e8\u05d5\u05e7\u05d4 \u05de\u05ea"
        "\u05d7\u05ea \u05dc\u05de\u05d3\u05e8\u05d2\u05d4 \u05d4\u05e9\u05dc\u05d9\u05e9\u05d9\u05ea. \u05de"
        "\u05d9 \u05e9\u05dc\u05d5\u05e7\u05d7 \u05d0\u05d5\u05ea\u05d5 \u05d7\u05d5\u05ea\u05dd \u05d1\u05de"
        "\u05d7\u05d1\u05e8\u05ea \u05e9\u05ea\u05dc\u05d5\u05d9\u05d4 \u05dc\u05d9\u05d3 \u05d4\u05d3\u05dc"
        "\u05ea. \u05d4\u05e6\u05d5\u05d5\u05ea \u05d1\u05d5\u05d3\u05e7 \u05d0\u05ea \u05d4\u05e1\u05d9\u05e8"
        "\u05d5\u05ea \u05d1\u05d9\u05d5\u05dd \u05e9\u05e0\u05d9 \u05d4\u05e8\u05d0\u05e9\u05d5\u05df \u05e9"
        "\u05dc \u05d4\u05d7\u05d5\u05d3\u05e9; \u05dc\u05e4\u05e0\u05d9 \u05de\u05e1\u05e2 \u05d0\u05e8\u05d5"
        "\u05da \u05e6\u05e8\u05d9\u05da \u05d2\u05dd \u05dc\u05d4\u05d5\u05e1\u05d9\u05e3 \u05e9\u05de\u05df "
        "\u05d5\u05de\u05d9\u05dd.",
    ),
    "ar": (
        "cp1256 iso8859-6",
        "\u0645\u0641\u062a\u0627\u062d \u0627\u0644\u0645\u0646\u0627\u0631\u0629 \u0645\u0648\u062c\u0648\u062f"
        " \u0641\u064a \u0627\u0644\u0639\u0644\u0628\u0629 \u0627\u0644\u062e\u0636\u0631\u0627\u0621 \u062a"
        "\u062d\u062a \u0627\u0644\u062f\u0631\u062c\u0629 \u0627\u0644\u062b\u0627\u0644\u062b\u0629 \u0645"
        "\u0646 \u0627\u0644\u0633\u0644\u0645. \u0645\u0646 \u064a\u0623\u062e\u0630\u0647 \u064a\u0648\u0642"
        "\u0639 \u0641\u064a \u0627\u0644\u062f\u0641\u062a\u0631 \u0627\u0644\u0645\u0639\u0644\u0642 \u0628"
        "\u062c\u0627\u0646\u0628 \u0627\u0644\u0628\u0627\u0628. \u064a\u0641\u062d\u0635 \u0627\u0644\u0637"
        "\u0627\u0642\u0645 \u0627\u0644\u0642\u0648\u0627\u0631\u0628 \u0641\u064a \u0623\u0648\u0644 \u064a"
        "\u0648\u0645 \u0627\u062b\u0646\u064a\u0646 \u0645\u0646 \u0627\u0644\u0634\u0647\u0631\u060c \u0648"
        "\u0642\u0628\u0644 \u0627\u0644\u0631\u062d\u0644\u0627\u062a \u0627\u0644\u0637\u0648\u064a\u0644\u0629"
        " \u064a\u062c\u0628 \u0625\u0636\u0627\u0641\u0629 \u0627\u0644\u0632\u064a\u062a \u0648\u0627\u0644"
        "\u0645\u0627\u0621 \u0623\u064a\u0636\u0627.",
    ),
    "ja": (
        "shift_jis euc_jp cp932 iso2022_jp",
        "\u706f\u53f0\u306e\u9375\u306f\u4e09\u6bb5\u76ee\u306e\u968e\u6bb5\u306e\u4e0b\u306b\u3042\u308b\u7dd1"
        "\u8272\u306e\u7f36\u306b\u5165\u3063\u3066\u3044\u307e\u3059\u3002\u9375\u3092\u53d6\u308b\u4eba\u306f"
        "\u3001\u30c9\u30a2\u306e\u6a2a\u306b\u639b\u3051\u3066\u3042\u308b\u30ce\u30fc\u30c8\u306b\u540d\u524d"
        "\u3092\u66f8\u3044\u3066\u304f\u3060\u3055\u3044\u3002\u4e57\u7d44\u54e1\u306f\u6bce\u6708\u6700\u521d"
        "\u306e\u6708\u66dc\u65e5\u306b\u30dc\u30fc\u30c8\u3092\u70b9\u691c\u3057\u307e\u3059\u3002\u9577\u3044"
        "\u822a\u6d77\u306e\u524d\u306b\u306f\u3001\u6cb9\u3068\u6c34\u3082\u88dc\u7d66\u3057\u306a\u3051\u308c"
        "\u3070\u306a\u308a\u307e\u305b\u3093\u3002",
    ),
    "zh-cn": (
        "gb18030 gb2312",
        "\u706f\u5854\u7684\u94a5\u5319\u653e\u5728\u7b2c\u4e09\u7ea7\u53f0\u9636\u4e0b\u9762\u7684\u7eff\u8272"
        "\u94c1\u76d2\u91cc\u3002\u53d6\u94a5\u5319\u7684\u4eba\u8981\u5728\u95e8\u65c1\u6302\u7740\u7684\u672c"
        "\u5b50\u4e0a\u7b7e\u540d\u3002\u8239\u5458\u5728\u6bcf\u4e2a\u6708\u7684\u7b2c\u4e00\u4e2a\u661f\u671f"
        "\u4e00\u68c0\u67e5\u5c0f\u8239;\u8fdc\u822a\u4e4b\u524d\u8fd8\u5fc5\u987b\u8865\u5145\u6cb9\u548c\u6c34"
        "\u3002\u5408\u540c\u7f16\u53f7\u4e3a\u4e8c\u4e03\u516b\u4e5d,\u6709\u6548\u671f\u81f3\u4e8c\u96f6\u4e09"
        "\u4e00\u5e74\u516d\u6708\u4e09\u5341\u65e5\u3002",
    ),
    "zh-tw": (
        "big5",
        "\u71c8\u5854\u7684\u9470\u5319\u653e\u5728\u7b2c\u4e09\u7d1a\u81fa\u968e\u4e0b\u9762\u7684\u7da0\u8272"
        "\u9435\u76d2\u88e1\u3002\u53d6\u9470\u5319\u7684\u4eba\u8981\u5728\u9580\u65c1\u639b\u8457\u7684\u672c"
        "\u5b50\u4e0a\u7c3d\u540d\u3002\u8239\u54e1\u5728\u6bcf\u500b\u6708\u7684\u7b2c\u4e00\u500b\u661f\u671f"
        "\u4e00\u6aa2\u67e5\u5c0f\u8239;\u9060\u822a\u4e4b\u524d\u9084\u5fc5\u9808\u88dc\u5145\u6cb9\u548c\u6c34"
        "\u3002\u5408\u7d04\u7de8\u865f\u70ba\u4e8c\u4e03\u516b\u4e5d,\u6709\u6548\u671f\u81f3\u4e8c\u96f6\u4e09"
        "\u4e00\u5e74\u516d\u6708\u4e09\u5341\u65e5\u3002",
    ),
    "ko": (
        "euc_kr cp949",
        "\ub4f1\ub300\uc758 \uc5f4\uc1e0\ub294 \uc138 \ubc88\uc9f8 \uacc4\ub2e8 \uc544\ub798\uc5d0 \uc788\ub294 "
        "\ub179\uc0c9 \ud1b5\uc5d0 \ub4e4\uc5b4 \uc788\uc2b5\ub2c8\ub2e4. \uc5f4\uc1e0\ub97c \uac00\uc838\uac00"
        "\ub294 \uc0ac\ub78c\uc740 \ubb38 \uc606\uc5d0 \uac78\ub824 \uc788\ub294 \uacf5\ucc45\uc5d0 \uc774\ub984"
        "\uc744 \uc801\uc5b4\uc57c \ud569\ub2c8\ub2e4. \uc120\uc6d0\ub4e4\uc740 \ub9e4\uc6d4 \uccab\uc9f8 \uc6d4"
        "\uc694\uc77c\uc5d0 \ubc30\ub97c \uc810\uac80\ud569\ub2c8\ub2e4. \uae34 \ud56d\ud574 \uc804\uc5d0\ub294 "
        "\uae30\ub984\uacfc \ubb3c\ub3c4 \ubcf4\ucda9\ud574\uc57c \ud569\ub2c8\ub2e4.",
    ),
    "th": (
        "cp874",
        "\u0e01\u0e38\u0e0d\u0e41\u0e08\u0e1b\u0e23\u0e30\u0e20\u0e32\u0e04\u0e32\u0e23\u0e2d\u0e22\u0e39\u0e48"
        "\u0e43\u0e19\u0e01\u0e25\u0e48\u0e2d\u0e07\u0e2a\u0e35\u0e40\u0e02\u0e35\u0e22\u0e27\u0e43\u0e15\u0e49"
        "\u0e1a\u0e31\u0e19\u0e44\u0e14\u0e02\u0e31\u0e49\u0e19\u0e17\u0e35\u0e48\u0e2a\u0e32\u0e21 \u0e1c\u0e39"
        "\u0e49\u0e17\u0e35\u0e48\u0e2b\u0e22\u0e34\u0e1a\u0e44\u0e1b\u0e15\u0e49\u0e2d\u0e07\u0e25\u0e07\u0e0a"
        "\u0e37\u0e48\u0e2d\u0e43\u0e19\u0e2a\u0e21\u0e38\u0e14\u0e17\u0e35\u0e48\u0e41\u0e02\u0e27\u0e19\u0e2d"
        "\u0e22\u0e39\u0e48\u0e02\u0e49\u0e32\u0e07\u0e1b\u0e23\u0e30\u0e15\u0e39 \u0e25\u0e39\u0e01\u0e40\u0e23"
        "\u0e37\u0e2d\u0e15\u0e23\u0e27\u0e08\u0e40\u0e23\u0e37\u0e2d\u0e43\u0e19\u0e27\u0e31\u0e19\u0e08\u0e31"
        "\u0e19\u0e17\u0e23\u0e4c\u0e41\u0e23\u0e01\u0e02\u0e2d\u0e07\u0e40\u0e14\u0e37\u0e2d\u0e19 \u0e01\u0e48"
        "\u0e2d\u0e19\u0e40\u0e14\u0e34\u0e19\u0e17\u0e32\u0e07\u0e44\u0e01\u0e25\u0e15\u0e49\u0e2d\u0e07\u0e40"
        "\u0e15\u0e34\u0e21\u0e19\u0e49\u0e33\u0e21\u0e31\u0e19\u0e41\u0e25\u0e30\u0e19\u0e49\u0e33\u0e14\u0e49"
        "\u0e27\u0e22",
    ),
}
EACH = [(language, codec) for language, (codecs, _) in PARAGRAPHS.items() for codec in codecs.split()]


def pieces(size: int) -> Iterator[tuple[str, str]]:
    """(encoding, text) of that many signs, from every place in each paragraph."""
    for language, codec in EACH:
        text = PARAGRAPHS[language][1]
        for start in range(0, min(len(text) - size, 240), 20):
            piece = text[start : start + size]
            if not piece.isascii():
                yield codec, piece


@pytest.mark.parametrize(("language", "codec"), EACH)
@pytest.mark.parametrize("times", [1, 40])
def test_a_paragraph_is_read_as_it_was_written(language: str, codec: str, times: int) -> None:
    text = PARAGRAPHS[language][1] * times
    assert decode(text.encode(codec)) == text


@pytest.mark.parametrize(("size", "most"), [(60, 0.05), (20, 0.09)])
def test_a_wrong_guess_is_rare_in_short_texts(size: int, most: float) -> None:
    right = [decode(text.encode(codec)) == text for codec, text in pieces(size)]
    assert len(right) > 400 and right.count(False) <= most * len(right)


def test_western_sentences_are_never_taken_for_another() -> None:
    for language in ("de", "fr", "es", "pt", "sv", "da"):
        text = PARAGRAPHS[language][1]
        for start in range(0, len(text) - 60, 3):
            piece = text[start : start + 60]
            assert decode(piece.encode("cp1252")) == piece


@pytest.mark.parametrize(
    "sign",
    [
        "100 \u00b0C",
        "5\u00bd pages",
        "5 \u00b5m",
        "\u00a7 12 Abs. 3 BGB",
        "na\u00efve",
        "don\u2019t",
        "x\u00d7y",
        "\u00a320",
    ],
)
def test_a_sign_alone_is_western(sign: str) -> None:
    assert decode(sign.encode("cp1252")) == sign


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(EACH), st.integers(0, 200), st.sampled_from(["", "\n", " 17:30; ", "\t(a) "]), st.booleans())
def test_what_stands_around_a_paragraph_changes_nothing(
    each: tuple[str, str], cut: int, between: str, before: bool
) -> None:
    language, codec = each
    text = PARAGRAPHS[language][1]
    whole = text[:cut] + between + text if before else text + between + text[cut:]
    assert decode(whole.encode(codec)) == whole


@pytest.mark.parametrize(
    "codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
)
@pytest.mark.parametrize("language", ["de", "pl", "ru", "el", "he", "ar", "th"])
def test_unicode_needs_no_mark(language: str, codec: str) -> None:
    text = PARAGRAPHS[language][1]
    assert decode(text.encode(codec)) == text


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("language", ["ja", "zh-cn", "ko"])
def test_asian_text_in_unicode(language: str, codec: str) -> None:
    text = PARAGRAPHS[language][1]
    assert decode(text.encode(codec)) == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("language", ["ja", "zh-cn", "zh-tw", "ko"])
def test_asian_text_in_unicode_without_a_mark(language: str, codec: str) -> None:
    text = PARAGRAPHS[language][1]
    assert decode(text.encode(codec)) == text


def test_a_line_in_another_encoding_does_not_spoil_the_file() -> None:
    text = PARAGRAPHS["de"][1]
    assert decode(text.encode() * 5 + "Stra\u00dfe \u20ac".encode("cp1252")) == text * 5 + "Stra\u00dfe \u20ac"


def test_a_late_letter_is_found() -> None:
    text = "plain words " * 20_000 + PARAGRAPHS["ru"][1]
    assert decode(text.encode("koi8_r")) == text


@settings(deadline=None)
@given(st.lists(st.sampled_from([b"a" * 300, b"\xe9", b" ", b"\n", b"\x83A" * 400, b"\xff" * 3000]), max_size=30))
def test_samples_are_bounded_pieces_of_the_data(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    sample = sample_of(data)
    assert len(sample) < 3 * SAMPLE and sample.isascii() == data.isascii()
