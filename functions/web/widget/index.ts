console.log("widget")
